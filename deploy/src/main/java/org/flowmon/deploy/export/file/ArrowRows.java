package org.flowmon.deploy.export.file;

import com.google.flatbuffers.FlatBufferBuilder;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Schema;
import org.flowmon.deploy.export.row.ExportColumn;
import org.flowmon.deploy.export.row.ExportRows;
import org.flowmon.flow.bytes.ByteSink;
import org.flowmon.flow.memory.HeapBudget;

/**
 * An Arrow IPC stream ({@code docs/format/arrow.md}): a schema, a record batch for each {@link
 * #BATCH_ROWS} rows or about {@link #BATCH_BYTES} bytes, and the end of the stream.
 *
 * <pre>
 *   FF FF FF FF | metadata bytes: int32 | Message (flatbuffer), zeros to 64 | body: buffers, each with zeros to 64
 *   FF FF FF FF | 00 00 00 00                                                                       the end
 * </pre>
 */
final class ArrowRows implements RowFormat {
  static final int BATCH_ROWS = 1 << 16;

  /** Reached by at most {@link #SLICE_ROWS} rows more. */
  static final long BATCH_BYTES = Math.min(1 << 20, HeapBudget.Part.ROW_GROUP.bytes());

  private static final int SLICE_ROWS = 256;
  private static final int CONTINUATION = -1;
  private static final int ALIGNMENT = 64;
  private static final byte[] ZEROS = new byte[ALIGNMENT];

  private final List<ArrowColumn> columns;
  private final OutputStream out;
  private final FlatBufferBuilder metadata = new FlatBufferBuilder();
  private final ByteSink head = new ByteSink();
  private int rows;

  ArrowRows(List<ExportColumn> columns, OutputStream out) throws IOException {
    this.columns = columns.stream().map(ArrowColumn::new).toList();
    this.out = out;
    writeSchema();
  }

  @Override
  public void write(ExportRows block) throws IOException {
    for (int from = 0; from < block.rows(); from += SLICE_ROWS) {
      int to = Math.min(block.rows(), from + SLICE_ROWS);
      long bytes = 0;
      for (int c = 0; c < columns.size(); c++) {
        columns.get(c).add(block, c, from, to);
        bytes += columns.get(c).bytes();
      }
      rows += to - from;
      if (rows >= BATCH_ROWS || bytes >= BATCH_BYTES) {
        writeBatch();
      }
    }
  }

  @Override
  public void end() throws IOException {
    if (rows > 0) {
      writeBatch();
    }
    head.putInt(CONTINUATION);
    head.putInt(0);
    writeHead();
  }

  private void writeSchema() throws IOException {
    metadata.clear();
    int[] fields = columns.stream().mapToInt(column -> column.field(metadata)).toArray();
    int vector = Schema.createFieldsVector(metadata, fields);
    int schema = Schema.createSchema(metadata, Endianness.Little, vector, 0, 0);
    writeMessage(MessageHeader.Schema, schema, 0);
  }

  private void writeBatch() throws IOException {
    List<ByteSink> buffers = new ArrayList<>();
    columns.forEach(column -> buffers.addAll(column.buffers()));
    long body = 0;
    for (ByteSink buffer : buffers) {
      body += aligned(buffer.size());
    }
    metadata.clear();
    writeMessage(MessageHeader.RecordBatch, recordBatch(buffers, body), body);
    for (ByteSink buffer : buffers) {
      out.write(buffer.array(), 0, buffer.size());
      out.write(ZEROS, 0, (int) (aligned(buffer.size()) - buffer.size()));
    }
    columns.forEach(ArrowColumn::clear);
    rows = 0;
  }

  /** Vectors of structs are built from their end. */
  private int recordBatch(List<ByteSink> buffers, long body) {
    RecordBatch.startBuffersVector(metadata, buffers.size());
    long end = body;
    for (int i = buffers.size() - 1; i >= 0; i--) {
      end -= aligned(buffers.get(i).size());
      Buffer.createBuffer(metadata, end, buffers.get(i).size());
    }
    int places = metadata.endVector();
    RecordBatch.startNodesVector(metadata, columns.size());
    for (int c = columns.size() - 1; c >= 0; c--) {
      FieldNode.createFieldNode(metadata, rows, columns.get(c).nulls());
    }
    int nodes = metadata.endVector();
    return RecordBatch.createRecordBatch(metadata, rows, nodes, places, 0, 0);
  }

  private void writeMessage(byte type, int header, long body) throws IOException {
    metadata.finish(Message.createMessage(metadata, MetadataVersion.V5, type, header, body, 0));
    ByteBuffer message = metadata.dataBuffer();
    int bytes = message.remaining();
    int prefix = 2 * Integer.BYTES;
    int padded = (int) aligned(prefix + bytes) - prefix;
    head.putInt(CONTINUATION);
    head.putInt(padded);
    head.write(message.array(), message.arrayOffset() + message.position(), bytes);
    head.write(ZEROS, 0, padded - bytes);
    writeHead();
  }

  private void writeHead() throws IOException {
    out.write(head.array(), 0, head.size());
    head.clear();
  }

  private static long aligned(long bytes) {
    return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
  }
}
