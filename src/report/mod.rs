//! Results as tables, CSV, JSON and pictures. Takes results, computes none, touches no files.

pub mod break_even;
pub mod calibrate;
pub mod catalog;
pub mod csv;
pub mod curves;
pub mod diff;
pub mod efficiency;
pub mod fabrics;
pub mod html;
pub mod json;
pub mod kernels;
pub mod ledger;
mod nccl_fit;
pub mod number;
pub mod optimum;
pub mod parquet;
pub mod pictures;
pub mod plan;
pub mod plot;
pub mod sensitivity;
pub mod step;
pub mod sweep;
pub mod table;
pub mod text;
pub mod timeline;
pub mod trace;
pub mod verify;
