//! What measured training steps say about devices and software: the fitted numbers of this room.

use super::{Device, Precision};
use std::collections::BTreeMap;

/// An accelerator as it is sold. Rates are dense, sums in fp32.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chip {
    /// Peak in bf16, FLOP/s; `None` where it has none.
    pub bf16_flop_per_s: Option<f64>,
    /// Peak in fp16, FLOP/s.
    pub fp16_flop_per_s: f64,
    /// Peak in tf32, FLOP/s; `None` where it has none.
    pub tf32_flop_per_s: Option<f64>,
    /// Peak in fp32 outside tensor cores, FLOP/s.
    pub fp32_flop_per_s: f64,
    /// Bandwidth of its memory, bytes/s.
    pub bandwidth_bytes_per_s: f64,
    /// Power limit, watts.
    pub tdp_w: f64,
}

impl Chip {
    /// Peak in a precision; `None` where the chip lacks it.
    pub fn peak_flop_per_s(&self, precision: Precision) -> Option<f64> {
        match precision {
            Precision::AmpBf16 | Precision::Bf16 => self.bf16_flop_per_s,
            Precision::AmpFp16 | Precision::Fp16 => Some(self.fp16_flop_per_s),
            Precision::Tf32 => self.tf32_flop_per_s,
            Precision::Fp32 => Some(self.fp32_flop_per_s),
        }
    }

    /// Power for arithmetic in fp16, over that of a typical accelerator.
    pub fn relative_power(&self) -> f64 {
        self.tdp_w / (self.fp16_flop_per_s * 1e-12) / TYPICAL_WATTS_PER_TFLOP
    }
}

/// Power limit over fp16 peak in the middle of the accelerators measured, watts per 10^12 FLOP/s.
const TYPICAL_WATTS_PER_TFLOP: f64 = 1.5;

/// Shares of its data sheet that kernels on a device reach, above 0. They go with the shape losses and byte
/// counts of this room: the compute share can be above 1, where clocks above the data sheet's outweigh the
/// rest, and the memory share is low where software moves more than is counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Efficiency {
    /// Of the peak.
    pub compute: f64,
    /// Of the memory's bandwidth.
    pub memory: f64,
}

/// Where a model's activations go besides its matrix products, as far as their traffic differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ActivationKind {
    /// Blocks of attention and MLP over one list of tokens: ViT and BERT.
    Attention,
    /// Blocks over a map, permuted or cut into windows between layers: Swin, ConvNeXt.
    FeatureMap,
    /// Attention among channels with layer scale and local convolutions: XCiT.
    CrossCovariance,
    /// Attention with mixed heads and layer scale: CaiT.
    TalkingHeads,
    /// Half-precision convolutions and batch norm, channels first: kernels transpose.
    ChannelsFirst,
    /// The same, channels last.
    ChannelsLast,
    /// Convolutions and batch norm in fp32 and tf32, in either layout.
    WideConvolution,
    /// Convolutions with group norm or standardized weights.
    GroupNorm,
    /// Attention whose norms, rotations and scales are written out as single operations: ViT-5.
    WrittenOut,
}

impl ActivationKind {
    /// Every one.
    pub const ALL: [Self; 9] = [
        Self::Attention,
        Self::FeatureMap,
        Self::CrossCovariance,
        Self::TalkingHeads,
        Self::ChannelsFirst,
        Self::ChannelsLast,
        Self::WideConvolution,
        Self::GroupNorm,
        Self::WrittenOut,
    ];

    /// Its name in `data/software.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Attention => "attention",
            Self::FeatureMap => "feature-map",
            Self::CrossCovariance => "cross-covariance",
            Self::TalkingHeads => "talking-heads",
            Self::ChannelsFirst => "channels-first",
            Self::ChannelsLast => "channels-last",
            Self::WideConvolution => "wide-convolution",
            Self::GroupNorm => "group-norm",
            Self::WrittenOut => "written-out",
        }
    }
}

/// All fitted numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Coefficients {
    /// Memory traffic of a framework's version over that of PyTorch 1.12; others have 1.
    pub framework_traffic: BTreeMap<String, f64>,
    /// Time of the softmax of unfused attention over what its counted bytes take at the memory share.
    pub score_traffic: f64,
    /// Traffic of a transformer's activations in fp32 and tf32 over that under autocast, lighter form.
    pub wide_traffic: f64,
    /// Share of a device's compute efficiency that tf32 reaches.
    pub tf32_share: f64,
    /// Bytes moved for each activation, lighter form; half precision unless the kind says otherwise.
    pub activation_bytes: BTreeMap<ActivationKind, f64>,
    /// Of an accelerator that was not measured and has a typical power limit.
    pub typical: Efficiency,
    /// Exponent of [`Chip::relative_power`] in the compute efficiency of one that was not measured: what
    /// has little power for its peak reaches less of it.
    pub power_exponent: f64,
    /// Of accelerators that were measured, by name.
    pub gpus: BTreeMap<String, Efficiency>,
}

impl Coefficients {
    /// What can be told of a device that was not measured.
    pub fn unmeasured(&self, chip: &Chip) -> Efficiency {
        let power = libm::pow(chip.relative_power(), self.power_exponent);
        Efficiency { compute: self.typical.compute * power, memory: self.typical.memory }
    }

    /// Efficiency of the accelerator `gpu`, measured or not.
    pub fn efficiency(&self, gpu: &str, chip: &Chip) -> Efficiency {
        self.gpus.get(gpu).copied().unwrap_or_else(|| self.unmeasured(chip))
    }

    /// The accelerator as the formulas of this room take it, under a framework such as `"pytorch-1.12"`,
    /// without multiprocessors and launches; `None` where the chip lacks the precision.
    pub fn device(&self, gpu: &str, chip: &Chip, precision: Precision, framework: &str) -> Option<Device> {
        self.factors(gpu, chip, framework, [ActivationKind::Attention; 2]).device(chip, precision)
    }

    /// Bytes moved for each activation of a model of which each kind makes half, lighter form.
    pub fn bytes_per_activation(&self, kinds: [ActivationKind; 2], precision: Precision) -> f64 {
        let bytes = self.bytes_of(kinds);
        Factors { activation_bytes: bytes, ..self.software("") }.bytes_per_activation(kinds, precision)
    }

    /// Those of the numbers on which one step depends.
    pub(super) fn factors(
        &self,
        gpu: &str,
        chip: &Chip,
        framework: &str,
        kinds: [ActivationKind; 2],
    ) -> Factors {
        let efficiency = self.efficiency(gpu, chip);
        Factors { efficiency, activation_bytes: self.bytes_of(kinds), ..self.software(framework) }
    }

    fn software(&self, framework: &str) -> Factors {
        Factors {
            efficiency: self.typical,
            framework_traffic: self.framework_traffic.get(framework).copied().unwrap_or(1.0),
            score_traffic: self.score_traffic,
            wide_traffic: self.wide_traffic,
            tf32_share: self.tf32_share,
            activation_bytes: [0.0; 2],
        }
    }

    fn bytes_of(&self, kinds: [ActivationKind; 2]) -> [f64; 2] {
        kinds.map(|kind| self.activation_bytes.get(&kind).copied().unwrap_or(0.0))
    }
}

/// The numbers of [`Coefficients`] on which the time of one step depends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Factors {
    pub efficiency: Efficiency,
    pub framework_traffic: f64,
    pub score_traffic: f64,
    pub wide_traffic: f64,
    pub tf32_share: f64,
    /// Of each half of the model.
    pub activation_bytes: [f64; 2],
}

impl Factors {
    /// The chip under these factors; `None` where it lacks the precision.
    pub fn device(&self, chip: &Chip, precision: Precision) -> Option<Device> {
        let tf32 = if precision == Precision::Tf32 { self.tf32_share } else { 1.0 };
        let memory = self.efficiency.memory / self.framework_traffic;
        Some(Device {
            peak_flop_per_s: chip.peak_flop_per_s(precision)?,
            bandwidth_bytes_per_s: chip.bandwidth_bytes_per_s,
            sms: None,
            compute_efficiency: self.efficiency.compute * tf32,
            memory_efficiency: memory,
            score_efficiency: memory / self.score_traffic,
            launch_s: 0.0,
        })
    }

    /// Bytes moved for each activation, eager and unfused.
    pub fn bytes_per_activation(&self, kinds: [ActivationKind; 2], precision: Precision) -> f64 {
        let wide = precision.operand_bytes() > 2.0;
        let scaled = |kind| wide && kind != ActivationKind::WideConvolution;
        let half = |half: usize| {
            self.activation_bytes[half] * if scaled(kinds[half]) { self.wide_traffic } else { 1.0 }
        };
        (half(0) + half(1)) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::measured::tests::RTX_3090;
    use super::*;

    fn coefficients() -> Coefficients {
        Coefficients {
            framework_traffic: [("old".to_owned(), 1.25)].into(),
            score_traffic: 0.5,
            wide_traffic: 2.0,
            tf32_share: 0.8,
            activation_bytes: [(ActivationKind::Attention, 20.0), (ActivationKind::WideConvolution, 50.0)]
                .into(),
            typical: Efficiency { compute: 1.0, memory: 0.4 },
            power_exponent: 0.2,
            gpus: [("known".to_owned(), Efficiency { compute: 0.9, memory: 0.5 })].into(),
        }
    }

    #[test]
    fn a_measured_gpu_has_its_own_shares_and_others_the_typical() {
        let found = coefficients();
        assert_eq!(found.efficiency("known", &RTX_3090), Efficiency { compute: 0.9, memory: 0.5 });
        assert_eq!(found.efficiency("other", &RTX_3090).memory, 0.4);
    }

    /// 0.5 / 1.25 = 0.4 of the bandwidth, twice that for scores; 0.9 × 0.8 of the peak.
    #[test]
    fn software_changes_what_a_device_reaches() {
        let device = coefficients().device("known", &RTX_3090, Precision::Tf32, "old").unwrap();
        assert!((device.memory_efficiency - 0.4).abs() < 1e-12);
        assert!((device.score_efficiency - 0.8).abs() < 1e-12);
        assert!((device.compute_efficiency - 0.72).abs() < 1e-12);
        assert_eq!(device.peak_flop_per_s, 35.6e12);
    }

    /// The bytes of wide convolutions are those of wide numbers already: (2 × 20 + 50) / 2.
    #[test]
    fn wide_numbers_move_more_bytes() {
        let kinds = [ActivationKind::Attention, ActivationKind::WideConvolution];
        assert_eq!(coefficients().bytes_per_activation(kinds, Precision::Fp32), 45.0);
        assert_eq!(coefficients().bytes_per_activation([kinds[0]; 2], Precision::AmpBf16), 20.0);
    }
}
