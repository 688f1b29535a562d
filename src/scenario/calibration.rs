//! The file of measured kernels that `[compute] calibration` names.

use super::capacity::ReadFile;
use super::compute::ComputeKeys;
use super::reader::Reader;
use super::throughput::Machines;
use crate::compute::{Calibration, Class, Precision};

/// Measured kernels and where they come from.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelFile {
    /// The file, or the name in the catalogue, as the scenario writes it.
    pub name: String,
    /// What is in it.
    pub kernels: Calibration,
    /// Whether it is of another device or class than the cluster's, which the scenario accepts.
    pub accepted: bool,
}

/// Reads the file of measured kernels, if one is named; one of another device or class only if the scenario accepts
/// that.
pub(super) fn read_calibration(
    keys: &ComputeKeys,
    precision: Option<Precision>,
    at: &mut Reader<'_>,
    machines: &Machines,
    read_file: &ReadFile<'_>,
) -> Option<KernelFile> {
    let name = keys.calibration.as_deref()?;
    let field = at.field("calibration");
    let refuse = |why: String, help: &str| {
        field.refuse(format!("the calibration \"{name}\" {why}"), help);
        None
    };
    let shipped = machines.catalogue.calibration(name);
    let text = match shipped {
        Some(text) => Ok(text.to_owned()),
        None => read_file(name),
    };
    let kernels = match text.map(|text| Calibration::parse(&text)) {
        Ok(Ok(kernels)) => kernels,
        Ok(Err(error)) => return refuse(format!("is not understood: {error}"), ""),
        Err(error) => {
            return refuse(
                format!("cannot be read: {error}"),
                "`spotsim catalog calibrations` lists those that are built in",
            );
        }
    };
    let gpu = machines.catalogue.gpu_of(machines.instance.instance);
    let accept = "add `accept_class = true` to take it for what it is worth";
    let other_device = kernels.device != gpu.name && gpu.driver_name.as_deref() != Some(&kernels.device);
    let other_class = kernels.class != Class::Cuda;
    if !keys.accept_class && other_class {
        let class = kernels.class.name();
        let why =
            format!("holds kernels that training does not run: its `class` is \"{class}\", not \"cuda\"");
        return refuse(why, accept);
    }
    if !keys.accept_class && other_device {
        let known =
            gpu.driver_name.as_deref().map_or(String::new(), |name| format!(" (\"{name}\" to its driver)"));
        let why = format!("was measured on {}, and the cluster has {}{known}", kernels.device, gpu.name);
        return refuse(why, accept);
    }
    let formats = kernels.product_formats();
    if let Some(precision) = precision
        && !formats.is_empty()
        && !formats.contains(&precision.operand_name())
    {
        let why = format!(
            "has matrix products in {}, and `precision = \"{}\"` multiplies in {}",
            formats.join(", "),
            precision.name(),
            precision.operand_name()
        );
        return refuse(why, "measure them with `spotsim calibrate --precision`, or change `precision`");
    }
    Some(KernelFile { name: name.to_owned(), kernels, accepted: other_device || other_class })
}
