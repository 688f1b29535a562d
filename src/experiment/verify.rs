//! Models held against right answers.
