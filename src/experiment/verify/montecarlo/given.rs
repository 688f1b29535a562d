//! What a row is given: numbers, lists, and samples described by a formula over a small generator.

use serde_json::Value;

/// The most numbers that a row may ask for.
const COUNT_MAX: u64 = 10_000_000;

/// A row's inputs by name.
#[derive(Debug)]
pub(super) struct Given(Value);

impl Given {
    pub const fn new(inputs: Value) -> Self {
        Self(inputs)
    }

    /// A number, also in quotes.
    pub fn number(&self, name: &str) -> Result<f64, String> {
        let found = self.0.get(name).and_then(as_number).filter(|number| number.is_finite());
        found.ok_or_else(|| format!("input `{name}`: a number is needed"))
    }

    /// A whole number from 0 that is not too large to count to.
    pub fn count(&self, name: &str) -> Result<u64, String> {
        let number = self.number(name)?;
        if number.fract() == 0.0 && (0.0..=COUNT_MAX as f64).contains(&number) {
            Ok(number as u64)
        } else {
            Err(format!("input `{name}`: a whole number from 0 to {COUNT_MAX} is needed"))
        }
    }

    /// A number above 0 and below 1.
    pub fn share(&self, name: &str) -> Result<f64, String> {
        let number = self.number(name)?;
        let inside = number > 0.0 && number < 1.0;
        if inside { Ok(number) } else { Err(format!("input `{name}`: above 0 and below 1")) }
    }

    /// The confidence; 0.95 where the row has none.
    pub fn confidence(&self) -> Result<f64, String> {
        if self.0.get("conf").is_some() { self.share("conf") } else { Ok(0.95) }
    }

    /// A list of numbers.
    pub fn list(&self, name: &str) -> Result<Vec<f64>, String> {
        let list = self.0.get(name).and_then(Value::as_array);
        let numbers = list.and_then(|list| list.iter().map(as_number).collect());
        numbers.ok_or_else(|| format!("input `{name}`: a list of numbers is needed"))
    }

    /// Times, each with whether its end was seen.
    pub fn times(&self) -> Result<Vec<(f64, bool)>, String> {
        let (times, finished) = (self.list("times")?, self.list("finished")?);
        if times.len() != finished.len() || times.is_empty() {
            return Err("`times` and `finished`: as many of each, at least one".into());
        }
        Ok(times.into_iter().zip(finished.into_iter().map(|flag| flag != 0.0)).collect())
    }

    /// The formula in `name`.
    pub fn formula(&self, name: &str) -> Result<Formula, String> {
        let text = self.0.get(name).and_then(Value::as_str).unwrap_or("");
        Formula::read(text).ok_or_else(|| format!("`{name}` = \"{text}\": a formula of another form"))
    }

    /// The generator from the row's seed.
    pub fn uniforms(&self) -> Result<impl Iterator<Item = f64> + use<>, String> {
        Ok(uniforms(self.count_below("lcg_seed", MODULUS)?))
    }

    /// A whole number below `bound`.
    pub fn count_below(&self, name: &str, bound: u64) -> Result<u64, String> {
        let number = self.number(name)?;
        let whole = number.fract() == 0.0 && number >= 0.0 && number < bound as f64;
        if whole { Ok(number as u64) } else { Err(format!("input `{name}`: a whole number below {bound}")) }
    }
}

fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        Value::String(text) => text.parse().ok(),
        other => other.as_f64(),
    }
}

/// Modulus of the generator.
pub(super) const MODULUS: u64 = 1 << 31;

/// u = x/2^31 with x ← (1103515245 x + 12345) mod 2^31, from the first step on.
pub(super) fn uniforms(seed: u64) -> impl Iterator<Item = f64> {
    let mut x = seed;
    std::iter::repeat_with(move || {
        x = (1_103_515_245 * x + 12_345) % MODULUS;
        x as f64 / MODULUS as f64
    })
}

/// constant + `per_u` u + `per_log` ln(1 - u), of the u that lies `shift` further on.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Formula {
    constant: f64,
    per_u: f64,
    per_log: f64,
    /// Which u of the generator is the first, from 0.
    pub shift: usize,
}

impl Formula {
    pub fn at(&self, u: f64) -> f64 {
        let log = if self.per_log == 0.0 { 0.0 } else { self.per_log * libm::log1p(-u) };
        self.constant + self.per_u * u + log
    }

    /// `x_i = 1 + 2*lcg_i`, `-100 ln(1-u_i)`, `-110 ln(1-u_{i+200})`, `-110 ln(1-u_i) same u`.
    fn read(text: &str) -> Option<Self> {
        let text = text.split_once('=').map_or(text, |(_, right)| right);
        let text = text.trim().trim_end_matches("same u").replace("lcg", "u").replace(['*', ' '], "");
        let mut formula = Self::default();
        let text = match text.split_once("_{i+") {
            None => text,
            Some((before, rest)) => {
                let (shift, after) = rest.split_once('}')?;
                formula.shift = shift.parse().ok()?;
                format!("{before}_i{after}")
            }
        };
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let sign = if rest.starts_with('-') { -1.0 } else { 1.0 };
            rest = rest.trim_start_matches(['+', '-']);
            let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
            let (number, after) = rest.split_at(end);
            let number = if number.is_empty() { None } else { Some(number.parse::<f64>().ok()?) };
            let times = sign * number.unwrap_or(1.0);
            if let Some(after) = after.strip_prefix("ln(1-u_i)") {
                formula.per_log += times;
                rest = after;
            } else if let Some(after) = after.strip_prefix("u_i") {
                formula.per_u += times;
                rest = after;
            } else {
                formula.constant += sign * number?;
                rest = after;
            }
            if !(rest.is_empty() || rest.starts_with(['+', '-'])) {
                return None;
            }
        }
        Some(formula)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_read_in_the_forms_of_the_rows() {
        let check = |text, constant, per_u, per_log, shift| {
            assert_eq!(Formula::read(text), Some(Formula { constant, per_u, per_log, shift }), "{text}");
        };
        check("x_i = 1 + 2*lcg_i", 1.0, 2.0, 0.0, 0);
        check("x_i = 10*lcg_i", 0.0, 10.0, 0.0, 0);
        check("x_i = lcg_i - 0.5", -0.5, 1.0, 0.0, 0);
        check("-110 ln(1-u_i) same u", 0.0, 0.0, -110.0, 0);
        check("-110 ln(1-u_{i+200})", 0.0, 0.0, -110.0, 200);
        for other in ["x_i = lcg_i^2", "2 ln(u_i)", "3x"] {
            assert_eq!(Formula::read(other), None, "{other}");
        }
    }

    /// First values from the reference, rows m077 and m078, 15 digits.
    #[test]
    fn the_generator_is_the_documented_one() {
        for (seed, right) in [(1, 0.513_870_078_139_007), (42, 0.582_307_589_706_033)] {
            assert!((uniforms(seed).next().unwrap() - right).abs() < 1e-15);
        }
    }
}
