package org.flowmon.archive.unsynced;

import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.Set;

/** The real file system, whose changes an {@link UnsyncedDisk} sees. */
final class UnsyncedFileSystem extends FileSystem {
  private static final FileSystem REAL = FileSystems.getDefault();

  private final FileSystemProvider provider;

  UnsyncedFileSystem(UnsyncedDisk disk) {
    this.provider = new UnsyncedProvider(disk);
  }

  @Override
  public FileSystemProvider provider() {
    return provider;
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public boolean isReadOnly() {
    return false;
  }

  @Override
  public String getSeparator() {
    return REAL.getSeparator();
  }

  @Override
  public Iterable<Path> getRootDirectories() {
    return REAL.getRootDirectories();
  }

  @Override
  public Iterable<FileStore> getFileStores() {
    return REAL.getFileStores();
  }

  @Override
  public Set<String> supportedFileAttributeViews() {
    return REAL.supportedFileAttributeViews();
  }

  @Override
  public Path getPath(String first, String... more) {
    return new UnsyncedPath(this, REAL.getPath(first, more));
  }

  @Override
  public PathMatcher getPathMatcher(String syntaxAndPattern) {
    PathMatcher matcher = REAL.getPathMatcher(syntaxAndPattern);
    return path -> matcher.matches(UnsyncedPath.real(path));
  }

  @Override
  public UserPrincipalLookupService getUserPrincipalLookupService() {
    return REAL.getUserPrincipalLookupService();
  }

  @Override
  public WatchService newWatchService() {
    throw new UnsupportedOperationException();
  }
}
