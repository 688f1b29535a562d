//! `[job] model`: what is trained, named or described.

use super::echo::quoted;
use super::field::Field;
use super::problem::Problem;
use super::reader::Reader;
use super::section::Section;
use super::tree::Value;
use crate::compute::{ActivationKind, VitShape};
use crate::facts::{self, Catalogue};
use std::ops::Bound;

/// What is trained, as far as throughput cares.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Its name: the catalogue's or the scenario's.
    pub name: String,
    /// Trained parameters.
    pub params: u64,
    /// Multiply-adds of a forward pass for one sample.
    pub forward_macs: f64,
    /// Numbers that a forward pass for one sample writes; 0 where it is not known.
    pub activations: f64,
    /// What its activations go through besides matrix products.
    pub activation_kind: ActivationKind,
    /// The shape, of a plain ViT.
    pub shape: Option<VitShape>,
    /// Bytes of one sample as the GPU takes it; `None` where it is not known.
    pub sample_bytes: Option<f64>,
}

/// Bytes of an image of three colours in fp32.
fn image_bytes(side: u32) -> f64 {
    3.0 * 4.0 * f64::from(side) * f64::from(side)
}

impl Model {
    /// FLOP of a training step for one sample: 2 a multiply-add, and a backward pass of twice the forward.
    pub fn train_flop(&self) -> f64 {
        6.0 * self.forward_macs
    }

    fn named(model: &facts::Model) -> Self {
        Self {
            name: model.name.clone(),
            params: model.params,
            forward_macs: model.fwd_gmacs * 1e9,
            activations: model.fwd_macts * 1e6,
            activation_kind: kind_of(&model.family),
            shape: shape_of(model),
            sample_bytes: Some(image_bytes(model.img_size)),
        }
    }

    fn shaped(name: String, shape: VitShape) -> Self {
        Self {
            name,
            params: shape.params(),
            forward_macs: shape.forward_macs() as f64,
            activations: shape.forward_activations() as f64,
            activation_kind: ActivationKind::Attention,
            shape: Some(shape),
            sample_bytes: Some(image_bytes(shape.image_px)),
        }
    }
}

/// What the activations of a catalogued family go through.
fn kind_of(family: &str) -> ActivationKind {
    match family {
        "swin" | "convnext" => ActivationKind::FeatureMap,
        "xcit" => ActivationKind::CrossCovariance,
        "cait" => ActivationKind::TalkingHeads,
        "resnet" | "efficientnet" | "regnet" => ActivationKind::ChannelsFirst,
        _ => ActivationKind::Attention,
    }
}

/// Classes of ImageNet-1k, which the catalogue's models tell apart.
const CLASSES: u32 = 1_000;

/// The shape of a catalogued plain ViT; `None` for others and for variants with parts of their own.
pub fn shape_of(model: &facts::Model) -> Option<VitShape> {
    let shape = VitShape {
        image_px: model.img_size,
        patch_px: model.patch?,
        width: model.width?,
        depth: model.depth?,
        heads: model.heads?,
        mlp_ratio: model.mlp_ratio?,
        classes: CLASSES,
        extra_tokens: 1,
    };
    (shape.params() == model.params).then_some(shape)
}

/// Most patches of an image, so that what a shape counts up to stays within 64 bits.
const PATCHES_MAX: u64 = 1 << 16;

/// Most G multiply-adds, and most M activations, of a sample: far beyond any model.
const COUNT_MAX: f64 = 1e9;

/// Above 0 and at most `most`.
fn above_to(most: f64) -> (Bound<f64>, Bound<f64>) {
    (Bound::Excluded(0.0), Bound::Included(most))
}

/// Reads `model`: a name, or a table with a shape or with counts.
pub(super) fn read_model(s: &mut Section<'_, '_>, catalogue: &'static Catalogue) -> Option<Model> {
    let field = s.reader.field("model");
    if let Some(Value::Table(_)) = field.value() {
        let model = read_described(field.table()?, &field)?;
        let text = match &model.shape {
            Some(shape) => format!(
                "{{ image = {}, patch = {}, width = {}, depth = {}, heads = {}, mlp_ratio = {}, classes = {} }}",
                shape.image_px,
                shape.patch_px,
                shape.width,
                shape.depth,
                shape.heads,
                shape.mlp_ratio,
                shape.classes
            ),
            None => {
                let counts = [("gmacs", model.forward_macs / 1e9), ("mactivations", model.activations / 1e6)];
                let given = counts.into_iter().filter(|(_, count)| *count > 0.0);
                let counts: String = given.map(|(key, count)| format!(", {key} = {count}")).collect();
                format!("{{ params = {}{counts} }}", model.params)
            }
        };
        s.echo("model", text, format!("{} parameters", model.params));
        return Some(model);
    }
    let name = field.text()?;
    let Some(model) = catalogue.model(name) else {
        let nearest = catalogue.nearest_model(name);
        let label = nearest.map_or(String::new(), |name| format!("did you mean \"{name}\"?"));
        let problem = Problem::error(format!("unknown model `{name}`")).at(field.place(), label);
        let help = "`spotsim catalog models` lists them; `model` may also be a table with a shape or counts";
        s.reader.report(problem.help(help));
        return None;
    };
    s.echo("model", quoted(&model.name), "");
    Some(Model::named(model))
}

/// A model by its shape, or by its counts where it is no plain ViT.
fn read_described(mut inner: Reader<'_>, field: &Field<'_>) -> Option<Model> {
    let name = inner.field("name").text().unwrap_or("model of the scenario").to_owned();
    let model = match inner.required_one_of("kind of model", &["width", "params"], "params = 86_567_656")? {
        ("width", width) => {
            let shape = VitShape {
                image_px: inner.required("image", "image = 224").whole(1..=8_192_u32)?,
                patch_px: inner.required("patch", "patch = 16").whole(1..=1_024_u32)?,
                width: width.whole(1..=16_384_u32)?,
                depth: inner.required("depth", "depth = 12").whole(1..=1_024_u32)?,
                heads: inner.required("heads", "heads = 12").whole(1..=1_024_u32)?,
                mlp_ratio: inner.field("mlp_ratio").number(above_to(64.0)).unwrap_or(4.0),
                classes: inner.field("classes").whole(1..=1_000_000_u32).unwrap_or(CLASSES),
                extra_tokens: 1,
            };
            if !shape.image_px.is_multiple_of(shape.patch_px) || !shape.width.is_multiple_of(shape.heads) {
                let title = "`image` must be a multiple of `patch`, and `width` one of `heads`";
                field.refuse(title, "");
                return None;
            }
            if shape.patches() > PATCHES_MAX {
                let title =
                    format!("an image has {} patches; at most {PATCHES_MAX} are told", shape.patches());
                field.refuse(title, "raise `patch`, or lower `image`");
                return None;
            }
            Model::shaped(name, shape)
        }
        (_, params) => Model {
            name,
            params: params.whole(1..=1_u64 << 44)?,
            forward_macs: inner.field("gmacs").number(above_to(COUNT_MAX)).unwrap_or(0.0) * 1e9,
            activations: inner.field("mactivations").number(above_to(COUNT_MAX)).unwrap_or(0.0) * 1e6,
            activation_kind: ActivationKind::Attention,
            shape: None,
            sample_bytes: None,
        },
    };
    inner.finish();
    Some(model)
}
