package org.flowmon.deploy.inspect;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.KeyValue;
import org.apache.parquet.format.OffsetIndex;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Statistics;
import org.apache.parquet.format.Type;
import org.apache.parquet.format.Util;
import org.flowmon.archive.segment.format.ParquetFooter;
import org.flowmon.archive.segment.format.ThriftStruct;
import org.flowmon.deploy.output.Facts;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.time.FlowTime;
import org.jspecify.annotations.Nullable;

/** Facts from the footer of a Parquet file, be it a segment or not. No value is read. */
final class ParquetFacts {
  private static final int SHOWN = 40;

  private ParquetFacts() {}

  static Facts of(Path file) throws IOException {
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      return facts(in, ParquetFooter.read(in));
    } catch (IOException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    } catch (RuntimeException e) { // the library's checks throw many kinds
      throw new IOException(file + ": its footer is damaged: impossible values", e);
    }
  }

  private static Facts facts(RandomAccessFile in, FileMetaData metadata) throws IOException {
    Facts facts = new Facts();
    facts.value("kind", "Parquet file");
    facts.value("rows", metadata.getNum_rows());
    facts.value("row_groups", (long) metadata.getRow_groupsSize());
    facts.value("bytes", in.length());
    facts.value("created_by", metadata.getCreated_by());
    Facts.Table columns =
        facts.table(
            "columns",
            "column",
            "id",
            "unit",
            "type",
            "logical",
            "codec",
            "encodings",
            "pages",
            "nulls",
            "bytes",
            "plain_bytes",
            "min",
            "max");
    int place = 0;
    for (SchemaElement element : leaves(metadata)) {
      column(columns, in, metadata, element, place++);
    }
    Facts.Table properties = facts.table("properties", "key", "value");
    if (metadata.isSetKey_value_metadata()) {
      for (KeyValue property : metadata.getKey_value_metadata()) {
        properties.row(property.getKey(), property.getValue());
      }
    }
    return facts;
  }

  private static List<SchemaElement> leaves(FileMetaData metadata) {
    return metadata.getSchema().stream().filter(SchemaElement::isSetType).toList();
  }

  private static void column(
      Facts.Table table, RandomAccessFile in, FileMetaData metadata, SchemaElement leaf, int place)
      throws IOException {
    long bytes = 0;
    long plain = 0;
    long nulls = 0;
    @Nullable Long pages = 0L;
    String codecs = "";
    String encodings = "";
    Optional<Statistics> statistics = Optional.empty();
    for (RowGroup group : metadata.getRow_groups()) {
      ColumnChunk chunk = group.getColumns().get(place);
      ColumnMetaData data = chunk.getMeta_data();
      bytes += data.getTotal_compressed_size();
      plain += data.getTotal_uncompressed_size();
      codecs = data.getCodec().toString();
      encodings =
          data.getEncodings().stream().map(Object::toString).collect(Collectors.joining(" "));
      statistics = Optional.ofNullable(data.getStatistics());
      nulls += statistics.map(Statistics::getNull_count).orElse(0L);
      pages = pages == null || !chunk.isSetOffset_index_offset() ? null : pages + pages(in, chunk);
    }
    Optional<Statistics> whole = metadata.getRow_groupsSize() == 1 ? statistics : Optional.empty();
    FlowColumn flow = leaf.isSetField_id() ? FlowColumn.byId(leaf.getField_id()) : null;
    table.row(
        leaf.getName(),
        leaf.isSetField_id() ? (long) leaf.getField_id() : null,
        flow == null ? "" : flow.unit(),
        leaf.getType().toString(),
        logical(leaf),
        codecs,
        encodings,
        pages,
        nulls,
        bytes,
        plain,
        whole.map(Statistics::getMin_value).map(min -> value(leaf, min)).orElse(null),
        whole.map(Statistics::getMax_value).map(max -> value(leaf, max)).orElse(null));
  }

  private static String logical(SchemaElement leaf) {
    if (!leaf.isSetLogicalType()) {
      return leaf.isSetConverted_type() ? leaf.getConverted_type().toString() : "";
    }
    return leaf.getLogicalType().getSetField().getFieldName();
  }

  private static long pages(RandomAccessFile in, ColumnChunk chunk) throws IOException {
    long at = chunk.getOffset_index_offset();
    int length = chunk.getOffset_index_length();
    if (at < 0 || length < 1 || length > ParquetFooter.MAX_BYTES || at > in.length() - length) {
      throw new IOException("the offset index at " + at + " lies outside the file");
    }
    byte[] bytes = new byte[length];
    in.seek(at);
    in.readFully(bytes);
    OffsetIndex index =
        ThriftStruct.parse(bytes, "the offset index at byte " + at, Util::readOffsetIndex);
    return index.getPage_locationsSize();
  }

  private static String value(SchemaElement leaf, byte[] bytes) {
    if (leaf.getType() == Type.BYTE_ARRAY) {
      String text = new String(bytes, StandardCharsets.UTF_8);
      return text.length() > SHOWN ? text.substring(0, SHOWN) + "…" : text;
    }
    long number = 0;
    for (int i = Math.min(8, bytes.length) - 1; i >= 0; i--) {
      number = (number << 8) | (bytes[i] & 0xFF);
    }
    if (leaf.getType() == Type.DOUBLE) {
      return Double.toString(Double.longBitsToDouble(number));
    }
    boolean time = leaf.isSetLogicalType() && leaf.getLogicalType().isSetTIMESTAMP();
    return time ? FlowTime.text(number) : Long.toString(number);
  }
}
