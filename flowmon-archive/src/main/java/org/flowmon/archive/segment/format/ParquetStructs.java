package org.flowmon.archive.segment.format;

import java.io.IOException;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.InterningProtocol;
import org.apache.parquet.format.PageHeader;
import shaded.parquet.org.apache.thrift.TBase;
import shaded.parquet.org.apache.thrift.TConfiguration;
import shaded.parquet.org.apache.thrift.TException;
import shaded.parquet.org.apache.thrift.protocol.TCompactProtocol;
import shaded.parquet.org.apache.thrift.transport.TTransport;
import shaded.parquet.org.apache.thrift.transport.TTransportException;

/**
 * Decodes Parquet's structs from bytes that {@link ThriftStruct} has checked. The library's own
 * methods read streams, by a class that sets up a logging library: that takes longer than a short
 * query.
 */
public final class ParquetStructs {
  private ParquetStructs() {}

  public static FileMetaData fileMetaData(byte[] bytes) throws IOException {
    return read(new FileMetaData(), bytes);
  }

  public static PageHeader pageHeader(byte[] bytes) throws IOException {
    return read(new PageHeader(), bytes);
  }

  private static <T extends TBase<?, ?>> T read(T struct, byte[] bytes) throws IOException {
    try {
      struct.read(new InterningProtocol(new TCompactProtocol(new Bytes(bytes))));
      return struct;
    } catch (TException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /** Bytes to read; the protocol takes them from the buffer itself as far as it can. */
  private static final class Bytes extends TTransport {
    private final byte[] bytes;
    private int position;

    Bytes(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void open() {}

    @Override
    public void close() {}

    @Override
    public int read(byte[] to, int offset, int length) {
      int n = Math.min(length, getBytesRemainingInBuffer());
      System.arraycopy(bytes, position, to, offset, n);
      position += n;
      return n;
    }

    @Override
    public void write(byte[] from, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public byte[] getBuffer() {
      return bytes;
    }

    @Override
    public int getBufferPosition() {
      return position;
    }

    @Override
    public int getBytesRemainingInBuffer() {
      return bytes.length - position;
    }

    @Override
    public void consumeBuffer(int length) {
      position += length;
    }

    @Override
    public TConfiguration getConfiguration() {
      return TConfiguration.DEFAULT;
    }

    @Override
    public void updateKnownMessageSize(long size) {}

    @Override
    public void checkReadBytesAvailable(long length) throws TTransportException {
      if (length > getBytesRemainingInBuffer()) {
        throw new TTransportException(TTransportException.END_OF_FILE, "it ends within a value");
      }
    }
  }
}
