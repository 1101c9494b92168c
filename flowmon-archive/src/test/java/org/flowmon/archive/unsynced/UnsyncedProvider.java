package org.flowmon.archive.unsynced;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;

/** Applies operations to the real files and reports them to an {@link UnsyncedDisk}. */
final class UnsyncedProvider extends FileSystemProvider {
  private static final FileSystemProvider REAL = FileSystems.getDefault().provider();

  private final UnsyncedDisk disk;

  UnsyncedProvider(UnsyncedDisk disk) {
    this.disk = disk;
  }

  private static Path real(Path path) {
    return UnsyncedPath.real(path);
  }

  @Override
  public String getScheme() {
    return "unsynced";
  }

  @Override
  public FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileSystem getFileSystem(URI uri) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Path getPath(URI uri) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileChannel newFileChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    boolean isNew = !Files.exists(real(path));
    FileChannel channel = REAL.newFileChannel(real(path), options, attributes);
    if (isNew) {
      disk.made(real(path), false);
    }
    return new UnsyncedChannel(channel, disk, real(path));
  }

  @Override
  public SeekableByteChannel newByteChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    return newFileChannel(path, options, attributes);
  }

  @Override
  public DirectoryStream<Path> newDirectoryStream(
      Path folder, DirectoryStream.Filter<? super Path> filter) throws IOException {
    DirectoryStream<Path> stream =
        REAL.newDirectoryStream(real(folder), path -> filter.accept(folder.resolve(path)));
    return new DirectoryStream<>() {
      @Override
      public Iterator<Path> iterator() {
        Iterator<Path> paths = stream.iterator();
        return new Iterator<>() {
          @Override
          public boolean hasNext() {
            return paths.hasNext();
          }

          @Override
          public Path next() {
            return folder.resolve(paths.next());
          }
        };
      }

      @Override
      public void close() throws IOException {
        stream.close();
      }
    };
  }

  @Override
  public void createDirectory(Path folder, FileAttribute<?>... attributes) throws IOException {
    REAL.createDirectory(real(folder), attributes);
    disk.made(real(folder), true);
  }

  @Override
  public void createLink(Path link, Path existing) throws IOException {
    REAL.createLink(real(link), real(existing));
    disk.linked(real(link), real(existing));
  }

  @Override
  public void delete(Path path) throws IOException {
    REAL.delete(real(path));
    disk.deleted(real(path));
  }

  @Override
  public void move(Path source, Path target, CopyOption... options) throws IOException {
    REAL.move(real(source), real(target), options);
    disk.moved(real(source), real(target));
  }

  @Override
  public void copy(Path source, Path target, CopyOption... options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isSameFile(Path path, Path other) throws IOException {
    return REAL.isSameFile(real(path), real(other));
  }

  @Override
  public boolean isHidden(Path path) throws IOException {
    return REAL.isHidden(real(path));
  }

  @Override
  public FileStore getFileStore(Path path) throws IOException {
    return REAL.getFileStore(real(path));
  }

  @Override
  public void checkAccess(Path path, AccessMode... modes) throws IOException {
    REAL.checkAccess(real(path), modes);
  }

  @Override
  public <V extends FileAttributeView> V getFileAttributeView(
      Path path, Class<V> type, LinkOption... options) {
    return REAL.getFileAttributeView(real(path), type, options);
  }

  @Override
  public <A extends BasicFileAttributes> A readAttributes(
      Path path, Class<A> type, LinkOption... options) throws IOException {
    return REAL.readAttributes(real(path), type, options);
  }

  @Override
  public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options)
      throws IOException {
    return REAL.readAttributes(real(path), attributes, options);
  }

  @Override
  public void setAttribute(Path path, String attribute, Object value, LinkOption... options)
      throws IOException {
    REAL.setAttribute(real(path), attribute, value, options);
  }
}
