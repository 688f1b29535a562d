//! Which backends there are, and where PyTorch keeps its libraries.

use super::super::super::Failure;
use crate::calibrate::kernels::cpu::Cpu;
use crate::calibrate::kernels::{Backend, BackendError, DeviceInfo, cuda};
use crate::cli::calibrate::{BackendName, CalibrateKernelsArgs};
use crate::report::kernels::Offer;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// All backends with their devices, or why they have none.
pub fn offers(cuda_lib_dir: Option<&Path>) -> Vec<Offer> {
    let told = |devices: Result<Vec<DeviceInfo>, BackendError>| devices.map_err(|error| error.to_string());
    vec![
        ("cuda", told(cuda::devices(&cuda_folders(cuda_lib_dir)))),
        ("portable", told(portable_devices())),
        ("cpu", Ok(vec![Cpu::new(processor(), || 0.0, None).info().clone()])),
    ]
}

/// Opens the device that was asked for. Without a backend that is CUDA's where there is one, else the processor.
pub fn open(args: &CalibrateKernelsArgs, clock: fn() -> f64) -> Result<Box<dyn Backend>, Failure> {
    let folders = cuda_folders(args.cuda_lib_dir.as_deref());
    let name = match args.backend {
        Some(name) => name,
        None if cuda::devices(&folders).is_ok_and(|devices| !devices.is_empty()) => BackendName::Cuda,
        None => BackendName::Cpu,
    };
    let opened: Result<Box<dyn Backend>, BackendError> = match name {
        BackendName::Cuda => {
            let index = chosen(args.device.as_deref(), cuda::devices(&folders))?;
            cuda::open(&folders, index).map(|backend| Box::new(backend) as Box<dyn Backend>)
        }
        BackendName::Portable => {
            let index = chosen(args.device.as_deref(), portable_devices())?;
            portable_open(index, clock)
        }
        BackendName::Cpu => {
            let cpu = Cpu::new(processor(), clock, free_memory());
            chosen(args.device.as_deref(), Ok(vec![cpu.info().clone()]))?;
            Ok(Box::new(cpu))
        }
    };
    opened.map_err(|error| Failure::Other(error.to_string()))
}

#[cfg(feature = "portable")]
fn portable_devices() -> Result<Vec<DeviceInfo>, BackendError> {
    crate::calibrate::kernels::portable::devices()
}

#[cfg(feature = "portable")]
fn portable_open(index: usize, clock: fn() -> f64) -> Result<Box<dyn Backend>, BackendError> {
    Ok(Box::new(crate::calibrate::kernels::portable::open(index, clock)?))
}

#[cfg(not(feature = "portable"))]
const NOT_BUILT: &str =
    "this spotsim was built without the backend `portable`: build it with `--features portable`";

#[cfg(not(feature = "portable"))]
fn portable_devices() -> Result<Vec<DeviceInfo>, BackendError> {
    Err(BackendError::Absent(NOT_BUILT.to_owned()))
}

#[cfg(not(feature = "portable"))]
fn portable_open(_: usize, _: fn() -> f64) -> Result<Box<dyn Backend>, BackendError> {
    Err(BackendError::Absent(NOT_BUILT.to_owned()))
}

/// The place of the device in the list: by its number, or by a part of its name that only one has.
fn chosen(asked: Option<&str>, devices: Result<Vec<DeviceInfo>, BackendError>) -> Result<usize, Failure> {
    let devices = devices.map_err(|error| Failure::Other(error.to_string()))?;
    let Some(asked) = asked else { return Ok(0) };
    let wanted = asked.to_lowercase();
    let found: Vec<usize> = match asked.parse::<usize>() {
        Ok(index) => (index < devices.len()).then_some(index).into_iter().collect(),
        Err(_) => {
            (0..devices.len()).filter(|&i| devices[i].device.to_lowercase().contains(&wanted)).collect()
        }
    };
    match found[..] {
        [index] => Ok(index),
        [] => {
            let names: Vec<&str> = devices.iter().map(|info| info.device.as_str()).collect();
            Err(Failure::Input(format!(
                "error: `--device {asked}`: there is no such device\n  = help: there are: {}",
                names.join(", ")
            )))
        }
        _ => Err(Failure::Input(format!(
            "error: `--device {asked}`: {} devices have this in their name\n  = help: give its number in \
             `spotsim calibrate --list`",
            found.len()
        ))),
    }
}

/// The processor's name, as the system tells it.
fn processor() -> String {
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = told.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or_else(|| format!("{} processor", std::env::consts::ARCH), |(_, name)| name.trim().to_owned())
}

/// Bytes that programs can still take, as Linux tells them; `None` elsewhere.
fn free_memory() -> Option<u64> {
    let told = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = told.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
}

/// Prints the folders in which Python keeps its packages.
const PACKAGES: &str = "import site, sysconfig
paths = [sysconfig.get_paths()[key] for key in ('purelib', 'platlib')]
print('\\n'.join(dict.fromkeys(paths + site.getsitepackages() + [site.getusersitepackages()])))";

/// Where CUDA's libraries may be, the best place first: what was asked for, then where PyTorch keeps its own.
fn cuda_folders(asked: Option<&Path>) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = asked.map(Path::to_owned).into_iter().collect();
    for packages in python_packages() {
        let vendor = packages.join("nvidia");
        let inside = std::fs::read_dir(&vendor).into_iter().flatten().flatten();
        let mut libraries: Vec<PathBuf> = inside.map(|entry| entry.path().join("lib")).collect();
        libraries.push(packages.join("torch").join("lib"));
        libraries.sort();
        folders.extend(libraries.into_iter().filter(|folder| folder.is_dir()));
    }
    folders
}

/// The packages of the active virtual environment, else of the Python that is on the path.
fn python_packages() -> Vec<PathBuf> {
    let of_environment =
        std::env::var_os("VIRTUAL_ENV").map(|folder| PathBuf::from(folder).join("bin/python"));
    let python = of_environment.filter(|python| python.exists()).unwrap_or_else(|| "python3".into());
    let output =
        Command::new(python).args(["-c", PACKAGES]).stdin(Stdio::null()).stderr(Stdio::null()).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().map(PathBuf::from).collect()
}
