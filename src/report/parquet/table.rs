//! One row group, a column each: whole numbers, doubles that may be missing, texts.

use crate::experiment::sweep::{Scale, SweepAxis, SweepRows, axes};
use parquet::basic::{ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};
use std::sync::Arc;

/// A column of the table.
enum Column {
    Whole(Vec<i64>),
    /// Numbers that may be missing.
    Numbers(Vec<Option<f64>>),
    Texts(Vec<ByteArray>),
}

/// All rows of a sweep. A key whose values are plain numbers is a column of doubles, one with units or words a
/// column of texts as in the CSV.
pub fn sweep(rows: &SweepRows) -> Vec<u8> {
    write(&columns(rows)).expect("memory takes every write, and columns are as the schema says")
}

fn columns(rows: &SweepRows) -> Vec<(String, Column)> {
    let texts = |of: &dyn Fn(usize) -> String| {
        Column::Texts((0..rows.rows.len()).map(|row| ByteArray::from(of(row).into_bytes())).collect())
    };
    let whole = rows.rows.iter().map(|row| i64::try_from(row.configuration).unwrap_or(i64::MAX)).collect();
    let mut all = vec![("configuration".to_owned(), Column::Whole(whole))];
    for (key, axis) in axes(rows).iter().enumerate() {
        let column = match is_plain(axis) {
            true => Column::Numbers(axis.at.iter().copied().map(Some).collect()),
            false => texts(&|row| rows.rows[row].values[key].clone()),
        };
        all.push((axis.key.clone(), column));
    }
    all.push(("cluster".to_owned(), texts(&|row| rows.rows[row].cluster.clone())));
    all.push(("status".to_owned(), texts(&|row| rows.rows[row].status.clone())));
    for (figure, name) in rows.figures.iter().enumerate() {
        let values = rows.rows.iter().map(|row| row.figures[figure]).collect();
        all.push((name.clone(), Column::Numbers(values)));
    }
    all
}

fn is_plain(axis: &SweepAxis) -> bool {
    matches!(&axis.scale, Scale::Numbers { unit, .. } if unit.is_empty())
}

fn schema(columns: &[(String, Column)]) -> Result<TypePtr, ParquetError> {
    let field = |(name, column): &(String, Column)| {
        let of = |physical| Type::primitive_type_builder(name, physical);
        let field = match column {
            Column::Whole(_) => of(Physical::INT64).with_repetition(Repetition::REQUIRED),
            Column::Numbers(_) => of(Physical::DOUBLE).with_repetition(Repetition::OPTIONAL),
            Column::Texts(_) => of(Physical::BYTE_ARRAY)
                .with_repetition(Repetition::REQUIRED)
                .with_logical_type(Some(LogicalType::String))
                .with_converted_type(ConvertedType::UTF8),
        };
        field.build().map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    Ok(Arc::new(Type::group_type_builder("sweep").with_fields(fields).build()?))
}

fn write(columns: &[(String, Column)]) -> Result<Vec<u8>, ParquetError> {
    // Named by the format's own version, so that the bytes do not change with the crate's.
    let properties = WriterProperties::builder().set_created_by("spotsim".to_owned()).build();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema(columns)?, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for (_, column) in columns {
        let Some(mut into) = group.next_column()? else { break };
        write_column(column, &mut into)?;
        into.close()?;
    }
    group.close()?;
    writer.into_inner()
}

fn write_column(column: &Column, into: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
    match column {
        Column::Whole(values) => into.typed::<Int64Type>().write_batch(values, None, None)?,
        Column::Texts(values) => into.typed::<ByteArrayType>().write_batch(values, None, None)?,
        Column::Numbers(values) => {
            let there: Vec<f64> = values.iter().copied().flatten().collect();
            let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
            into.typed::<DoubleType>().write_batch(&there, Some(&levels), None)?
        }
    };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sweep::fixture;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    /// Read back by the crate's own row reader, cell by cell as in the CSV.
    #[test]
    fn parquet_read_back_is_the_table() {
        let rows = fixture::grid();
        let bytes = bytes::Bytes::from(sweep(&rows));
        let reader = SerializedFileReader::new(bytes).unwrap();
        let read: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        assert_eq!(read.len(), rows.rows.len());
        for (row, read) in rows.rows.iter().zip(&read) {
            let cells: Vec<(&String, &Field)> = read.get_column_iter().collect();
            assert_eq!(cells[0].1, &Field::Long(row.configuration as i64));
            assert_eq!(cells[1].0, "cluster.Spot.nodes");
            assert_eq!(cells[1].1, &Field::Double(row.values[0].parse().unwrap()));
            assert_eq!(cells[2].1, &Field::Str(row.values[1].clone()));
            assert_eq!(cells[3].1, &Field::Str(row.cluster.clone()));
            assert_eq!(cells[4].1, &Field::Str(row.status.clone()));
            for (figure, (name, field)) in cells[5..].iter().enumerate() {
                assert_eq!(*name, &rows.figures[figure]);
                assert_eq!(*field, &row.figures[figure].map_or(Field::Null, Field::Double));
            }
        }
    }
}
