//! Models whose sensitivity is known exactly.

use std::f64::consts::{PI, TAU};

/// A model of a few uniform, independent inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::experiment) enum TestFunction {
    /// sin x1 + 7 sin² x2 + 0.1 x3⁴ sin x1 on [-π, π]³ (T. Ishigami and T. Homma, 1990).
    Ishigami,
    /// Π (|4x - 2| + a)/(1 + a) on [0, 1]⁸ with a = 0, 1, 4.5, 9, 99, 99, 99, 99 (Sobol' and Levitan, 1999).
    G8,
    /// 5 + x1 + 2 x2 + 3 x3 + 0 x4 on [0, 1]⁴.
    Linear4,
    /// x1 x2 on [0, 1]².
    Product2,
}

const ALL: [(&str, TestFunction); 4] = [
    ("ishigami", TestFunction::Ishigami),
    ("g8", TestFunction::G8),
    ("linear4", TestFunction::Linear4),
    ("product2", TestFunction::Product2),
];
const G8: [f64; 8] = [0.0, 1.0, 4.5, 9.0, 99.0, 99.0, 99.0, 99.0];
const LINEAR4: [f64; 4] = [1.0, 2.0, 3.0, 0.0];
const ISHIGAMI: (f64, f64) = (7.0, 0.1);

impl TestFunction {
    /// The one with that name.
    pub fn named(name: &str) -> Option<Self> {
        ALL.iter().find(|(known, _)| *known == name).map(|&(_, function)| function)
    }

    /// The one whose name stands in a text.
    pub fn named_in(text: &str) -> Option<Self> {
        let text = text.to_lowercase();
        ALL.iter().find(|(known, _)| text.contains(known)).map(|&(_, function)| function)
    }

    /// How many inputs it has.
    pub const fn inputs(self) -> usize {
        match self {
            Self::Ishigami => 3,
            Self::G8 => 8,
            Self::Linear4 => 4,
            Self::Product2 => 2,
        }
    }

    /// Its value at a point of its own domain.
    pub fn at(self, x: &[f64]) -> f64 {
        match self {
            Self::Ishigami => {
                let ((a, b), sin) = (ISHIGAMI, libm::sin(x[0]));
                sin + a * libm::sin(x[1]).powi(2) + b * x[2].powi(4) * sin
            }
            Self::G8 => x.iter().zip(G8).map(|(x, a)| ((4.0 * x - 2.0).abs() + a) / (1.0 + a)).product(),
            Self::Linear4 => 5.0 + x.iter().zip(LINEAR4).map(|(x, c)| c * x).sum::<f64>(),
            Self::Product2 => x[0] * x[1],
        }
    }

    /// Its value at a point of the unit cube.
    pub fn at_unit(self, u: &[f64]) -> f64 {
        match self {
            Self::Ishigami => self.at(&u.iter().map(|u| TAU * u - PI).collect::<Vec<_>>()),
            _ => self.at(u),
        }
    }

    /// S1 of an input, exactly.
    pub fn first(self, input: usize) -> f64 {
        self.alone(input) / self.variance()
    }

    /// ST of an input, exactly.
    pub fn total(self, input: usize) -> f64 {
        let others = (0..self.inputs()).filter(|&other| other != input);
        let with_others = match self {
            Self::Ishigami => others.map(|other| self.together(input, other)).sum(),
            Self::Linear4 => 0.0,
            Self::G8 | Self::Product2 => {
                let rest: f64 = others.map(|other| 1.0 + self.alone(other)).product();
                self.alone(input) * (rest - 1.0)
            }
        };
        (self.alone(input) + with_others) / self.variance()
    }

    /// S2 of two different inputs, exactly.
    pub fn second(self, one: usize, other: usize) -> f64 {
        self.together(one, other) / self.variance()
    }

    /// Variance that an input makes alone; of products, in squares of the mean.
    fn alone(self, input: usize) -> f64 {
        match self {
            Self::Ishigami => {
                let (a, b) = ISHIGAMI;
                [(1.0 + b * PI.powi(4) / 5.0).powi(2) / 2.0, a * a / 8.0, 0.0][input]
            }
            Self::G8 => 1.0 / (3.0 * (1.0 + G8[input]).powi(2)),
            Self::Linear4 => LINEAR4[input].powi(2) / 12.0,
            // (1/12)/(1/2)².
            Self::Product2 => 1.0 / 3.0,
        }
    }

    /// Variance that two inputs make beyond what each makes alone, in the same unit.
    fn together(self, one: usize, other: usize) -> f64 {
        match self {
            Self::Ishigami if one.min(other) == 0 && one.max(other) == 2 => {
                ISHIGAMI.1.powi(2) * PI.powi(8) * (1.0 / 18.0 - 1.0 / 50.0)
            }
            Self::Ishigami | Self::Linear4 => 0.0,
            Self::G8 | Self::Product2 => self.alone(one) * self.alone(other),
        }
    }

    /// Variance in all, in the same unit.
    fn variance(self) -> f64 {
        let alone = (0..self.inputs()).map(|input| self.alone(input));
        match self {
            Self::Ishigami => alone.sum::<f64>() + self.together(0, 2),
            Self::Linear4 => alone.sum(),
            Self::G8 | Self::Product2 => alone.map(|v| 1.0 + v).product::<f64>() - 1.0,
        }
    }
}
