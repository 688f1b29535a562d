//! Libraries of the vendor, looked for in folders and then where the system looks.

#![expect(
    unsafe_code,
    reason = "a foreign library runs its own code when it is opened, and its symbols have no types"
)]

use super::BackendError;
use libloading::Library;
use std::fs;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

/// A library that was found.
pub struct Found {
    // Never closed: drivers leave threads and exit handlers behind that run the library's code.
    library: ManuallyDrop<Library>,
    path: String,
}

/// What to look for.
pub struct Wanted {
    /// What it is, for a reader: "cuBLAS".
    pub what: &'static str,
    /// Its name without ending: `libcublas`.
    pub stem: &'static str,
    /// Endings, the best first: `.so.13`.
    pub endings: &'static [&'static str],
    /// Stems of libraries that it opens itself and that lie beside it. They are opened first from the same folder,
    /// so that another version elsewhere is not mixed in.
    pub beside: &'static [&'static str],
}

/// The driver.
pub const DRIVER: Wanted =
    Wanted { what: "NVIDIA's driver", stem: "libcuda", endings: &[".so.1", ".so"], beside: &[] };
/// Sensors.
pub const NVML: Wanted =
    Wanted { what: "NVML", stem: "libnvidia-ml", endings: &[".so.1", ".so"], beside: &[] };
/// Matrix products.
pub const CUBLAS: Wanted =
    Wanted { what: "cuBLAS", stem: "libcublas", endings: TOOLKIT, beside: &["libcublasLt"] };
/// The compiler.
pub const NVRTC: Wanted =
    Wanted { what: "NVRTC", stem: "libnvrtc", endings: TOOLKIT, beside: &["libnvrtc-builtins"] };

const TOOLKIT: &[&str] = &[".so.13", ".so.12", ".so.11", ".so"];

impl Wanted {
    /// The first that opens: each name in each folder, then each name as the system looks for it.
    ///
    /// A toolkit of a later major version than the driver's is passed over, as that driver cannot run what it makes.
    pub fn open(&self, folders: &[PathBuf], driver_major: Option<i32>) -> Result<Found, BackendError> {
        let names: Vec<String> = self
            .endings
            .iter()
            .filter(|ending| driver_major.is_none_or(|most| major(ending).is_none_or(|it| it <= most)))
            .map(|ending| format!("{}{ending}", self.stem))
            .collect();
        let mut broken = Vec::new();
        for folder in folders {
            for name in &names {
                let path = folder.join(name);
                if !path.is_file() {
                    continue;
                }
                self.open_beside(folder);
                match open(&path.to_string_lossy()) {
                    Ok(found) => return Ok(found),
                    Err(why) => broken.push(why),
                }
            }
        }
        for name in &names {
            if let Ok(found) = open(name) {
                return Ok(found);
            }
        }
        Err(BackendError::Absent(self.absence(folders, &names, &broken)))
    }

    /// A failure is no error here: the library that needs it will say so.
    fn open_beside(&self, folder: &Path) {
        for stem in self.beside {
            let mut paths: Vec<PathBuf> = fs::read_dir(folder)
                .into_iter()
                .flatten()
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| {
                    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
                    name.is_some_and(|name| name.starts_with(&format!("{stem}.so")))
                })
                .collect();
            paths.sort();
            for path in paths {
                drop(open(&path.to_string_lossy()));
            }
        }
    }

    fn absence(&self, folders: &[PathBuf], names: &[String], broken: &[String]) -> String {
        let folders = if folders.is_empty() {
            String::new()
        } else {
            let listed: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
            format!("in {} and ", listed.join(", "))
        };
        let broken = if broken.is_empty() { String::new() } else { format!(" ({})", broken.join("; ")) };
        format!(
            "{} is not here: tried {} {folders}where the system looks for libraries{broken}",
            self.what,
            names.join(", ")
        )
    }
}

fn major(ending: &str) -> Option<i32> {
    ending.rsplit('.').next().and_then(|number| number.parse().ok())
}

fn open(path: &str) -> Result<Found, String> {
    // SAFETY: these are the vendor's libraries, made to be opened by any process; nothing is known to break.
    let library = unsafe { Library::new(path) }.map_err(|error| format!("{path}: {error}"))?;
    Ok(Found { library: ManuallyDrop::new(library), path: path.to_owned() })
}

impl Found {
    /// Where it was found: a path, or the name by which the system found it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// A function of it.
    ///
    /// # Safety
    /// `F` is a function pointer of the type that the library documents for `name`.
    pub unsafe fn function<F: Copy>(&self, name: &'static str) -> Result<F, BackendError> {
        // SAFETY: the caller vouches for the type; the library is never closed, so the pointer stays good.
        unsafe { self.library.get::<F>(name) }.map(|symbol| *symbol).map_err(|_| {
            BackendError::Absent(format!("{} has no function {name}: another version is needed", self.path))
        })
    }
}

/// A struct of functions of one library, loaded by their names.
macro_rules! functions {
    ($(#[$doc:meta])* $table:ident { $($name:ident($($kind:ty),*);)* }) => {
        $(#[$doc])*
        #[expect(non_snake_case, reason = "the names of the library")]
        pub(super) struct $table {
            $(pub(super) $name: unsafe extern "C" fn($($kind),*) -> i32,)*
        }

        impl $table {
            fn load(library: &crate::calibrate::kernels::cuda::library::Found) -> Result<Self, crate::calibrate::kernels::BackendError> {
                // SAFETY: the types are those of the library's documentation, written in this table.
                Ok(unsafe { Self { $($name: library.function(stringify!($name))?,)* } })
            }
        }
    };
}
pub(super) use functions;
