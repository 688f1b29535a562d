//! Arguments of `spotsim calibrate`.

use super::Format;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// What to calibrate: the kernels of a training step on this machine, or what others measured.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct CalibrateArgs {
    /// What was measured elsewhere.
    #[command(subcommand)]
    pub command: Option<CalibrateCommand>,

    /// Kernels to measure here.
    #[command(flatten)]
    pub kernels: CalibrateKernelsArgs,
}

/// Which kernels to measure, on what.
#[derive(Debug, Args)]
pub struct CalibrateKernelsArgs {
    /// Say which backends and devices there are, and measure nothing.
    #[arg(long)]
    pub list: bool,

    /// What runs the kernels: the vendor's library is what training uses [default: cuda where there is one, else cpu].
    #[arg(long, value_enum, value_name = "NAME")]
    pub backend: Option<BackendName>,

    /// Which device of the backend: its number in `--list`, or a part of its name [default: 0].
    #[arg(long, value_name = "NUMBER|NAME")]
    pub device: Option<String>,

    /// Models whose step's kernels are measured, with commas between: plain ViTs of `spotsim catalog models`
    /// [default: vit_base_patch16_224; on the processor or a software device vit_tiny_patch16_224].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub model: Vec<String>,

    /// Samples per GPU, with commas between; of the first all kernels are measured, of others those that bend with the size
    /// [default: 128,16,32,64,256; with --quick 128; on the processor or a software device 1].
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub batch: Vec<u32>,

    /// Number formats, with commas between; the first at all batches, others at the first
    /// [default: bf16,fp16,tf32,fp32; with --quick bf16; what a device lacks is left out].
    #[arg(long, value_enum, value_name = "NAMES", value_delimiter = ',')]
    pub precision: Vec<NumberName>,

    /// Fewer shapes and repetitions: under fifteen seconds on a GPU instead of two minutes.
    #[arg(long)]
    pub quick: bool,

    /// Look here first for the libraries of CUDA; else where PyTorch keeps its own, then where the system does.
    #[arg(long, value_name = "FOLDER")]
    pub cuda_lib_dir: Option<PathBuf>,

    /// Write the measurement to this file [default: calibration/DEVICE.toml].
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// What to print on stdout.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// What runs kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BackendName {
    /// NVIDIA's driver and libraries.
    Cuda,
    /// Any device with Vulkan, in fp32; needs a build with `--features portable`.
    Portable,
    /// This machine's processor, in fp32.
    Cpu,
}

/// Format of the numbers of matrix products.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NumberName {
    /// bfloat16.
    Bf16,
    /// IEEE half precision.
    Fp16,
    /// fp32 with products in TensorFloat-32.
    Tf32,
    /// IEEE single precision.
    Fp32,
}

/// What was measured.
#[derive(Debug, Subcommand)]
pub enum CalibrateCommand {
    /// A fabric, by the output of nccl-tests' `all_reduce_perf`.
    Network(CalibrateNetworkArgs),
    /// Fit the efficiencies of GPUs and the traffic of software to measured training steps, and print them
    /// as lines of the catalogue's files.
    Throughput(CalibrateThroughputArgs),
    /// Every class of fabrics, by a table of measured all-reduces.
    Fabrics(CalibrateFabricsArgs),
}

/// Which training steps.
#[derive(Debug, Args)]
pub struct CalibrateThroughputArgs {
    /// Measured steps: CSV with the columns of data/verify/vit_throughput.csv; `-` for stdin.
    #[arg(long, value_name = "FILE")]
    pub from: PathBuf,
}

/// Which table of all-reduces.
#[derive(Debug, Args)]
pub struct CalibrateFabricsArgs {
    /// CSV with the columns of data/verify/nccl_measured.csv; `-` for stdin.
    #[arg(long, value_name = "FILE")]
    pub from: PathBuf,

    /// When the rows were collected [default: today].
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub date: Option<String>,

    /// Write the figures to this file, as TOML, instead of stdout.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Which benchmark output, and what it does not say itself.
#[derive(Debug, Args)]
pub struct CalibrateNetworkArgs {
    /// What `all_reduce_perf` printed, logs and all; `-` for stdin.
    #[arg(long, value_name = "FILE")]
    pub from: PathBuf,

    /// Say how long an all-reduce of this much takes: "400 MB".
    #[arg(long, value_name = "AMOUNT")]
    pub bytes: Option<String>,

    /// Rate of the link of one node, all its NICs together: "100 Gbit/s".
    #[arg(long, value_name = "RATE")]
    pub link: Option<String>,

    /// Fit NCCL's model of the links of this instance, in place of a line: "g5.2xlarge".
    #[arg(long, value_name = "NAME")]
    pub instance: Option<String>,

    /// Nodes, where the output lists no ranks.
    #[arg(long, value_name = "N", requires = "gpus_per_node")]
    pub nodes: Option<u16>,

    /// GPUs that took part on each node, where the output lists no ranks.
    #[arg(long, value_name = "N", requires = "nodes")]
    pub gpus_per_node: Option<u16>,

    /// When it was measured [default: today].
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub date: Option<String>,

    /// What to print on stdout.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,

    /// Write the fabric to this file, as TOML.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}
