package org.flowmon.archive.unsynced;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;

/** A channel of a real file, whose writes and syncs an {@link UnsyncedDisk} sees. */
final class UnsyncedChannel extends FileChannel {
  private final FileChannel real;
  private final UnsyncedDisk disk;
  private final Path path;

  UnsyncedChannel(FileChannel real, UnsyncedDisk disk, Path path) {
    this.real = real;
    this.disk = disk;
    this.path = path;
  }

  @Override
  public void force(boolean metaData) throws IOException {
    // The test's machine does not stop: the disk keeps everything.
    disk.synced(path);
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    int n = real.write(source);
    disk.written(path);
    return n;
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
    long n = real.write(sources, offset, length);
    disk.written(path);
    return n;
  }

  @Override
  public int write(ByteBuffer source, long position) throws IOException {
    int n = real.write(source, position);
    disk.written(path);
    return n;
  }

  @Override
  public long transferFrom(ReadableByteChannel source, long position, long count)
      throws IOException {
    long n = real.transferFrom(source, position, count);
    disk.written(path);
    return n;
  }

  @Override
  public FileChannel truncate(long size) throws IOException {
    real.truncate(size);
    disk.written(path);
    return this;
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    return real.read(target);
  }

  @Override
  public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
    return real.read(targets, offset, length);
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    return real.read(target, position);
  }

  @Override
  public long position() throws IOException {
    return real.position();
  }

  @Override
  public FileChannel position(long position) throws IOException {
    real.position(position);
    return this;
  }

  @Override
  public long size() throws IOException {
    return real.size();
  }

  @Override
  public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
    return real.transferTo(position, count, target);
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
    return real.map(mode, position, size);
  }

  @Override
  public FileLock lock(long position, long size, boolean shared) throws IOException {
    return real.lock(position, size, shared);
  }

  @Override
  public FileLock tryLock(long position, long size, boolean shared) throws IOException {
    return real.tryLock(position, size, shared);
  }

  @Override
  protected void implCloseChannel() throws IOException {
    real.close();
  }
}
