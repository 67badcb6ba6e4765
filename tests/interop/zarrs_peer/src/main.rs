//! zarrs_peer - read, write and time one array of a file system store with zarrs
//!
//!     zarrs_peer version             of zarrs
//!     zarrs_peer read DIR            elements to stdout, little-endian, C order
//!     zarrs_peer write DIR           elements from stdin into an array whose zarr.json exists
//!     zarrs_peer time-read DIR N     milliseconds of N reads of everything, one a line, and the peak memory in KiB
//!     zarrs_peer time-write DIR N    the same for writes of what a read gives
//!
//! Elements of variable length: u32 length, then the bytes.
use std::error::Error;
use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Instant;
use zarrs::array::{Array, ArrayBytes, ArrayBytesOffsets, ArraySubset};
use zarrs::filesystem::FilesystemStore;

type Opened = Array<FilesystemStore>;
type Outcome<T> = Result<T, Box<dyn Error>>;

fn all(array: &Opened) -> ArraySubset {
    ArraySubset::new_with_shape(array.shape().to_vec())
}

fn read(array: &Opened) -> Outcome<ArrayBytes<'static>> {
    Ok(array.retrieve_array_subset::<ArrayBytes>(&all(array))?)
}

fn print(bytes: ArrayBytes) -> Outcome<()> {
    let mut out = std::io::stdout().lock();
    match bytes {
        ArrayBytes::Fixed(fixed) => out.write_all(&fixed)?,
        ArrayBytes::Variable(variable) => {
            let (data, offsets) = variable.into_parts();
            for w in offsets.windows(2) {
                out.write_all(&((w[1] - w[0]) as u32).to_le_bytes())?;
                out.write_all(&data[w[0]..w[1]])?;
            }
        }
        ArrayBytes::Optional(_) => return Err("optional elements".into()),
    }
    Ok(())
}

fn take(array: &Opened) -> Outcome<ArrayBytes<'static>> {
    let mut raw = Vec::new();
    std::io::stdin().lock().read_to_end(&mut raw)?;
    if array.data_type().is_fixed() {
        return Ok(ArrayBytes::new_flen(raw));
    }
    let (mut data, mut offsets, mut at) = (Vec::new(), vec![0usize], 0);
    while at + 4 <= raw.len() {
        let n = u32::from_le_bytes(raw[at..at + 4].try_into()?) as usize;
        data.extend_from_slice(&raw[at + 4..at + 4 + n]);
        offsets.push(data.len());
        at += 4 + n;
    }
    Ok(ArrayBytes::new_vlen(data, ArrayBytesOffsets::new(offsets)?)?)
}

fn peak_kib() -> Outcome<String> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no peak")?;
    Ok(line.trim_end_matches("kB").trim().into())
}

/// The results are dropped outside of the time.
fn time<T>(n: usize, mut work: impl FnMut() -> Outcome<T>) -> Outcome<()> {
    for _ in 0..n {
        let start = Instant::now();
        let made = std::hint::black_box(work()?);
        println!("{:.3}", start.elapsed().as_secs_f64() * 1e3);
        drop(made);
    }
    println!("{}", peak_kib()?);
    Ok(())
}

fn run(args: &[String]) -> Outcome<()> {
    if args == ["version"] {
        println!("{}", zarrs::version::version_str());
        return Ok(());
    }
    let [what, dir, rest @ ..] = args else {
        return Err("usage: zarrs_peer version, or read|write|time-read|time-write DIR [N]".into());
    };
    let array = Array::open(Arc::new(FilesystemStore::new(dir)?), "/")?;
    let n = rest.first().map_or(Ok(1), |text| text.parse())?;
    match what.as_str() {
        "read" => print(read(&array)?),
        "write" => Ok(array.store_array_subset(&all(&array), take(&array)?)?),
        "time-read" => time(n, || read(&array)),
        "time-write" => {
            let bytes = read(&array)?.into_fixed()?;
            time(n, || Ok(array.store_array_subset(&all(&array), ArrayBytes::new_flen(&bytes[..]))?))
        }
        _ => Err("no such action".into()),
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let Err(why) = run(&args) {
        eprintln!("zarrs_peer: {why}");
        std::process::exit(1);
    }
}
