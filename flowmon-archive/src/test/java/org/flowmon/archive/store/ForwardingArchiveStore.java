package org.flowmon.archive.store;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.flowmon.archive.region.FileIdentity;

/** Forwards to another store, for tests that change one operation. */
public class ForwardingArchiveStore implements ArchiveStore {
  private final ArchiveStore store;

  protected ForwardingArchiveStore(ArchiveStore store) {
    this.store = store;
  }

  @Override
  public boolean putIfAbsent(String name, byte[] bytes) throws IOException {
    return store.putIfAbsent(name, bytes);
  }

  @Override
  public void settle(String folder) throws IOException {
    store.settle(folder);
  }

  @Override
  public void replace(String name, byte[] bytes) throws IOException {
    store.replace(name, bytes);
  }

  @Override
  public byte[] read(String name, long maxBytes) throws IOException {
    return store.read(name, maxBytes);
  }

  @Override
  public byte[] readRange(String name, long offset, int length) throws IOException {
    return store.readRange(name, offset, length);
  }

  @Override
  public boolean exists(String name) throws IOException {
    return store.exists(name);
  }

  @Override
  public long length(String name) throws IOException {
    return store.length(name);
  }

  @Override
  public List<StoredFile> list(String folder) throws IOException {
    return store.list(folder);
  }

  @Override
  public boolean delete(String name) throws IOException {
    return store.delete(name);
  }

  @Override
  public Path writeFolder(String folder) throws IOException {
    return store.writeFolder(folder);
  }

  @Override
  public void publish(String name) throws IOException {
    store.publish(name);
  }

  @Override
  public HeldFolder hold(String name, FileIdentity identity) throws IOException {
    return store.hold(name, identity);
  }

  @Override
  public HeldFolder asStored(List<String> names) throws IOException {
    return store.asStored(names);
  }

  @Override
  public Path hostFolder() throws IOException {
    return store.hostFolder();
  }

  @Override
  public Duration grace() {
    return store.grace();
  }

  @Override
  public void requireCommits() throws IOException {
    store.requireCommits();
  }

  @Override
  public void onLackOfRoom(BooleanSupplier letGo) {
    store.onLackOfRoom(letGo);
  }

  @Override
  public void onIdle() {
    store.onIdle();
  }

  @Override
  public FetchCounts fetched() {
    return store.fetched();
  }

  @Override
  public String describe(String name) {
    return store.describe(name);
  }

  @Override
  public void close() {
    store.close();
  }
}
