package org.flowmon.archive.unsynced;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A directory that knows the remains of a power failure: the bytes of a file at its last sync, the
 * names of a folder at its last sync. A folder is a name in the one above. This is what POSIX
 * promises, and no more: there is no order between the losses of two folders.
 *
 * <p>Changes go through {@link #path}. Other changes of the directory are not seen.
 */
public final class UnsyncedDisk {
  /** A file's bytes, or a folder, under any number of names. */
  private static final class Node {
    final boolean isFolder;
    byte[] synced = {};

    Node(boolean isFolder) {
      this.isFolder = isFolder;
    }
  }

  private final Path root;
  // By name below the root.
  private final Map<Path, Node> live = new TreeMap<>();
  private final Map<Path, Node> synced = new TreeMap<>();
  private final UnsyncedFileSystem fileSystem = new UnsyncedFileSystem(this);
  private Consumer<String> listener = step -> {};

  /**
   * A disk in a directory.
   *
   * @param root all of its content counts as synced
   */
  public UnsyncedDisk(Path root) throws IOException {
    this.root = root.toRealPath();
    try (Stream<Path> all = Files.walk(this.root)) {
      for (Path path : all.filter(p -> !p.equals(this.root)).toList()) {
        Node node = new Node(Files.isDirectory(path));
        node.synced = node.isFolder ? node.synced : Files.readAllBytes(path);
        live.put(name(path), node);
      }
    }
    synced.putAll(live);
  }

  private UnsyncedDisk(Path root, UnsyncedDisk other) {
    this.root = root;
    Map<Node, Node> copies = new HashMap<>(); // nodes are equal only to themselves
    other.live.forEach((name, node) -> live.put(name, copies.computeIfAbsent(node, this::copy)));
    other.synced.forEach(
        (name, node) -> synced.put(name, copies.computeIfAbsent(node, this::copy)));
  }

  private Node copy(Node node) {
    Node copy = new Node(node.isFolder);
    copy.synced = node.synced;
    return copy;
  }

  /** The directory, seen through this disk. */
  public Path path() {
    return new UnsyncedPath(fileSystem, root);
  }

  /** Sets a callback after each step that another could follow; it may read this disk. */
  public synchronized void listen(Consumer<String> to) {
    listener = to;
  }

  private Path name(Path path) {
    return root.relativize(path);
  }

  private boolean isHere(Path path) {
    return path.startsWith(root) && !path.equals(root);
  }

  synchronized void made(Path path, boolean isFolder) {
    if (isHere(path)) {
      live.computeIfAbsent(name(path), name -> new Node(isFolder));
    }
    listener.accept("made " + path.getFileName());
  }

  synchronized void written(Path path) {
    listener.accept("written " + path.getFileName());
  }

  synchronized void moved(Path from, Path to) {
    live.put(name(to), live.remove(name(from)));
    listener.accept("moved " + from.getFileName());
  }

  synchronized void linked(Path to, Path existing) {
    live.put(name(to), live.get(name(existing)));
    listener.accept("linked " + to.getFileName());
  }

  synchronized void deleted(Path path) {
    live.remove(name(path));
    listener.accept("deleted " + path.getFileName());
  }

  synchronized void synced(Path path) throws IOException {
    if (Files.isDirectory(path)) {
      Predicate<Path> isIn = n -> path.equals(root.resolve(n).getParent());
      synced.keySet().removeIf(isIn);
      live.forEach(
          (name, node) -> {
            if (isIn.test(name)) {
              synced.put(name, node);
            }
          });
    } else if (isHere(path)) {
      live.get(name(path)).synced = Files.readAllBytes(path);
    }
    listener.accept("synced " + path.getFileName());
  }

  /** Continues the disk in another directory, like after a process was killed. */
  public synchronized UnsyncedDisk fork(Path target) throws IOException {
    write(target, live, name -> Files.readAllBytes(root.resolve(name)));
    return new UnsyncedDisk(target.toRealPath(), this);
  }

  /**
   * Writes possible remains of a power failure into a new directory.
   *
   * @param isLuckyFolder folders (names below the root, "" the root itself) whose present names
   *     survive unsynced
   * @param isLuckyFile files whose present bytes survive unsynced
   */
  public synchronized void afterPowerFailure(
      Path target, Predicate<String> isLuckyFolder, Predicate<String> isLuckyFile)
      throws IOException {
    Map<Path, Node> left = new TreeMap<>();
    for (Map<Path, Node> names : List.of(synced, live)) {
      names.forEach(
          (name, node) -> {
            Path parent = name.getParent();
            if (isLuckyFolder.test(parent == null ? "" : parent.toString()) == (names == live)) {
              left.put(name, node);
            }
          });
    }
    // The content of a lost folder is lost.
    left.keySet().removeIf(name -> name.getParent() != null && !left.containsKey(name.getParent()));
    Map<Node, byte[]> now = new HashMap<>();
    for (Map.Entry<Path, Node> entry : live.entrySet()) {
      if (!entry.getValue().isFolder && isLuckyFile.test(entry.getKey().toString())) {
        now.put(entry.getValue(), Files.readAllBytes(root.resolve(entry.getKey())));
      }
    }
    write(target, left, name -> now.getOrDefault(left.get(name), left.get(name).synced));
  }

  private interface Content {
    byte[] of(Path name) throws IOException;
  }

  private static void write(Path target, Map<Path, Node> names, Content content)
      throws IOException {
    Files.createDirectories(target);
    for (Map.Entry<Path, Node> entry : names.entrySet()) {
      Path path = target.resolve(entry.getKey());
      if (entry.getValue().isFolder) {
        Files.createDirectory(path);
      } else {
        Files.write(path, content.of(entry.getKey()));
      }
    }
  }

  @Override
  public String toString() {
    return root + " " + Arrays.toString(live.keySet().toArray());
  }
}
