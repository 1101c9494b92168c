package org.flowmon.deploy.export.file;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.deploy.export.row.ExportColumn;
import org.flowmon.deploy.export.row.ExportRows;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.ingest.text.JsonText;

/** JSON lines: an object for each row, no key for NULL; times ISO 8601, durations microseconds. */
final class JsonRows implements RowFormat {
  private final List<SerializableString> names = new ArrayList<>();
  private final List<ExportColumn> columns;
  private final JsonGenerator json;

  JsonRows(List<ExportColumn> columns, OutputStream out) throws IOException {
    this.columns = columns;
    columns.forEach(column -> names.add(new SerializedString(column.name())));
    json = JsonText.factory().createGenerator(out, JsonEncoding.UTF8);
    json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
    json.setPrettyPrinter(new MinimalPrettyPrinter("\n"));
  }

  @Override
  public void write(ExportRows block) throws IOException {
    for (int row = 0; row < block.rows(); row++) {
      json.writeStartObject();
      for (int c = 0; c < columns.size(); c++) {
        if (!block.isNull(row, c)) {
          json.writeFieldName(names.get(c));
          put(block, row, c);
        }
      }
      json.writeEndObject();
    }
  }

  private void put(ExportRows block, int row, int c) throws IOException {
    String name = columns.get(c).codeName(block, row, c);
    if (name != null) {
      json.writeString(name);
      return;
    }
    switch (columns.get(c).kind()) {
      case BOOLEAN -> json.writeBoolean(block.low(row, c) != 0);
      case INT128 -> json.writeNumber(block.big(row, c));
      case DOUBLE -> json.writeNumber(Double.longBitsToDouble(block.low(row, c)));
      case TIMESTAMP -> json.writeString(FlowTime.text(block.low(row, c)));
      case ADDRESS -> json.writeString(IpAddress.format(block.high(row, c), block.low(row, c)));
      case TEXT -> json.writeString(block.text(row, c));
      default -> json.writeNumber(block.low(row, c));
    }
  }

  @Override
  public void end() throws IOException {
    json.writeRaw('\n');
    json.close();
  }
}
