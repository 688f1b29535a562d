//! Colours by role, in light and dark, and the rules that give them to the page and its pictures.

/// What has one colour everywhere.
struct Role {
    /// Its name as a CSS variable and class.
    name: &'static str,
    /// Its colour in the light theme, which is the one that pictures are drawn in.
    light: &'static str,
    dark: &'static str,
}

const fn role(name: &'static str, light: &'static str, dark: &'static str) -> Role {
    Role { name, light, dark }
}

const ROLES: [Role; 25] = [
    role("ink", "#1B2430", "#E8EDF3"),
    role("muted", "#566173", "#A9B4C2"),
    role("axis", "#8C97A6", "#6B7787"),
    role("grid", "#E4E8EE", "#28313C"),
    role("background", "#FFFFFF", "#11161D"),
    role("panel", "#F6F8FA", "#181F28"),
    role("spot", "#0072B2", "#56B4E9"),
    role("on-demand", "#C8500A", "#FF9A56"),
    role("bound", "#2F3640", "#D5DBE3"),
    role("warning", "#A4262C", "#FF8A80"),
    role("computing", "#00665C", "#1FA896"),
    role("exposed-comm", "#2A8676", "#63C8B8"),
    role("data-stall", "#93CFC3", "#ABE2D8"),
    role("checkpoint-stall", "#E0A800", "#F2C230"),
    role("lost", "#B0307A", "#E46DAE"),
    role("restoring", "#B9C4E6", "#C3CDF2"),
    role("starting", "#8496CF", "#98A9E4"),
    role("provisioning", "#4A5FA5", "#6F86D6"),
    role("acquiring", "#BCC4CE", "#A3ADB9"),
    role("queued", "#6E7887", "#77828F"),
    role("idle", "#8A6A1F", "#C9A24A"),
    role("neutral", "#C9D1DB", "#3B4654"),
    role("series-1", "#7A3E9D", "#B07FE6"),
    role("series-2", "#1F7A8C", "#8BE3EE"),
    role("series-3", "#9C6B00", "#D08F1F"),
];

/// A variable a role, in light unless a screen or the reader asks for dark; a class a role that sets `--mark`; and the
/// pictures recoloured by the very colours that they are drawn in.
pub(super) fn rules() -> String {
    let mut css = format!(
        ":root{{color-scheme:light;{}}}\n\
         @media screen and (prefers-color-scheme:dark){{:root:not(:has(#theme-light:checked)){{color-scheme:dark;{dark}}}}}\n\
         @media screen{{:root:has(#theme-dark:checked){{color-scheme:dark;{dark}}}}}\n",
        variables(|role| role.light),
        dark = variables(|role| role.dark),
    );
    for Role { name, light, .. } in &ROLES {
        css += &format!(
            ".{name}{{--mark:var(--{name})}}\
             svg [fill=\"{light}\"]{{fill:var(--{name})}}svg [stroke=\"{light}\"]{{stroke:var(--{name})}}\n"
        );
    }
    css
}

fn variables(color: impl Fn(&Role) -> &'static str) -> String {
    ROLES.iter().map(|role| format!("--{}:{};", role.name, color(role))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance (WCAG 2.2, "relative luminance").
    fn luminance(color: &str) -> f64 {
        let channel = |at: usize| {
            let share = f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { libm::pow((share + 0.055) / 1.055, 2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    /// Contrast ratio (WCAG 2.2, success criterion 1.4.3).
    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// 21 : 1 is the most there is; #767676 on white is the well-known grey that just passes 4.5.
    #[test]
    fn contrast_is_that_of_wcag() {
        assert!((contrast("#000000", "#FFFFFF") - 21.0).abs() < 1e-9);
        assert!((contrast("#767676", "#FFFFFF") - 4.54).abs() < 0.005);
    }

    #[test]
    fn all_text_can_be_read_in_both_themes() {
        let of = |name: &str| ROLES.iter().find(|role| role.name == name).unwrap();
        for (text, behind) in [
            ("ink", "background"),
            ("ink", "panel"),
            ("muted", "background"),
            ("spot", "background"),
            ("on-demand", "background"),
            ("warning", "background"),
            ("series-1", "background"),
            ("series-2", "background"),
            ("series-3", "background"),
        ] {
            let (text, behind) = (of(text), of(behind));
            for (a, b) in [(text.light, behind.light), (text.dark, behind.dark)] {
                assert!(contrast(a, b) >= 4.5, "{} on {}: {}", text.name, behind.name, contrast(a, b));
            }
        }
    }
}
