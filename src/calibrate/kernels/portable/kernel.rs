//! One dispatch of a kernel, and the text that is compiled for it.

use std::fmt::Write as _;

/// What a kernel's text is given as constants, so that its compiler knows every size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Constant {
    Whole(u64),
    Real(f32),
    Flag(bool),
}

/// A kernel with its sizes, and what it reads and writes.
#[derive(Debug, Clone)]
pub(super) struct Kernel {
    /// WGSL, in the order in which it is compiled.
    pub sources: Vec<&'static str>,
    /// Name of its entry point.
    pub entry: &'static str,
    pub constants: Vec<(&'static str, Constant)>,
    /// Numbers of bindings, and the places of their buffers: a task's first, then the scratch ones.
    pub bindings: Vec<(u32, usize)>,
    /// Workgroups.
    pub groups: u64,
}

impl Kernel {
    /// Workgroups along x and y: a device takes so many a dimension only, and `most` is its limit.
    pub(super) fn grid(&self, most: u32) -> (u32, u32) {
        let most = u64::from(most);
        let y = self.groups.div_ceil(most).max(1);
        let x = self.groups.div_ceil(y).max(1);
        let fits = |groups: u64| u32::try_from(groups).expect("buffers of fewer than 2³² numbers");
        (fits(x), fits(y))
    }

    /// The text that is compiled: constants, the fold of workgroups and the sources with their repeated lines
    /// written out.
    ///
    /// A line `//each NAME: text` stands for as many lines as the constant (or number) says, `#` their numbers from
    /// 0. What these lines name stays in registers without a compiler's unrolling, which the bounds that wgpu puts
    /// on loops would keep it from.
    pub(super) fn text(&self, most: u32) -> String {
        let mut text = String::new();
        let mut line = |line: &str| {
            text.push_str(line);
            text.push('\n');
        };
        for (name, constant) in &self.constants {
            match constant {
                Constant::Whole(value) => line(&format!("const {name} = {value}u;")),
                Constant::Real(value) => line(&format!("const {name} = {value:?}f;")),
                Constant::Flag(value) => line(&format!("const {name} = {value};")),
            }
        }
        line(&format!("const GROUPS = {}u;", self.groups));
        line(&format!("const GROUPS_X = {}u;", self.grid(most).0));
        line("fn group_of(id: vec3<u32>) -> u32 { return id.x + id.y * GROUPS_X; }");
        for source in &self.sources {
            for written in source.lines() {
                match written.trim_start().strip_prefix("//each ").and_then(|rest| rest.split_once(": ")) {
                    Some((name, repeated)) => {
                        for number in 0..self.repeats(name) {
                            line(&repeated.replace('#', &number.to_string()));
                        }
                    }
                    None => line(written),
                }
            }
        }
        text
    }

    fn repeats(&self, name: &str) -> u64 {
        let constant = self.constants.iter().find(|(known, _)| *known == name);
        match constant {
            Some((_, Constant::Whole(times))) => *times,
            _ => name.parse().expect("a repeated line names a whole constant or a number"),
        }
    }

    /// Its entry point and sizes, for what is said when it is refused.
    pub(super) fn label(&self) -> String {
        let mut label = self.entry.to_owned();
        for (name, constant) in &self.constants {
            if let Constant::Whole(value) = constant {
                write!(label, " {name}={value}").expect("a string takes every text");
            }
        }
        label
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(groups: u64) -> Kernel {
        Kernel {
            sources: vec!["//each N: let a# = b[#u];", "    //each 2: c#;\nd"],
            entry: "main",
            constants: vec![("N", Constant::Whole(3)), ("HALF", Constant::Real(0.5))],
            bindings: Vec::new(),
            groups,
        }
    }

    #[test]
    fn repeated_lines_are_written_out() {
        let text = kernel(1).text(65535);
        assert!(text.starts_with("const N = 3u;\nconst HALF = 0.5f;\n"), "{text}");
        assert!(text.ends_with("let a0 = b[0u];\nlet a1 = b[1u];\nlet a2 = b[2u];\nc0;\nc1;\nd\n"), "{text}");
    }

    #[test]
    fn workgroups_beyond_a_dimensions_limit_are_folded_into_two() {
        for groups in [1, 65_535, 65_536, 75_693, 10_000_019] {
            let (x, y) = kernel(groups).grid(65_535);
            assert!(x <= 65_535 && y <= 65_535);
            let all = u64::from(x) * u64::from(y);
            assert!(all >= groups && all - groups < u64::from(y), "{groups}: {x} x {y}");
        }
    }
}
