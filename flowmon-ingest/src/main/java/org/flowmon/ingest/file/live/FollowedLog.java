package org.flowmon.ingest.file.live;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A log that grows and is rotated. When another file gets the log's name, the rest of the file
 * before is read first, then those that had the name in between, in {@link RotatedFile#order their
 * order}; a file that shrinks is read from its beginning. Files that were compressed meanwhile are
 * left out.
 */
public final class FollowedLog implements LiveSource {
  private static final int PIECE = 1 << 18;
  private static final long PAUSE_MILLIS = 50;

  /** A place in a log: which file, whatever its name is now, and how many of its bytes. */
  public record Place(String file, long offset) {}

  /** Where a file's bytes begin among those that {@link #next} gave. */
  private record Begin(String file, long given, long offset) {}

  /** What tells files apart whatever their names are, when a file was written last, its bytes. */
  private record Stat(String key, FileTime modified, long size) {
    /** Empty if there is no such file any more. */
    static Optional<Stat> of(Path file) throws IOException {
      try {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        Object key = attributes.fileKey(); // device and inode; null on Windows
        return Optional.of(
            new Stat(
                String.valueOf(key == null ? attributes.creationTime() : key),
                attributes.lastModifiedTime(),
                attributes.size()));
      } catch (NoSuchFileException e) {
        return Optional.empty();
      }
    }
  }

  private final Path path;
  private final byte[] header;
  private final List<Begin> begins = new ArrayList<>();
  // Rotated files that are not to be read, or no longer: their bytes by their keys.
  private final Map<String, Long> done = new HashMap<>();
  private @Nullable FileChannel channel;
  private String file = "";
  // When the files up to this one were written last, as far as is known.
  private FileTime modified = FileTime.fromMillis(0);
  private long offset;
  private long given;
  private boolean endsLine = true;
  private boolean isFirst = true;

  /**
   * From its beginning, or from a place on.
   *
   * @param header is given first if a file is entered in its middle, so that its lines can be read
   */
  public FollowedLog(Path path, Optional<Place> from, byte[] header) throws IOException {
    this.path = path;
    this.header = header.clone();
    List<RotatedFile> rotated = rotated();
    if (from.isPresent()) {
      Optional<Path> there = find(from.get().file());
      if (there.isPresent()) {
        goOn(there.get(), from.get().offset());
      }
    }
    if (channel == null) {
      open(path, 0);
    }
    Comparator<RotatedFile> order = RotatedFile.order(rotated);
    Optional<RotatedFile> own = rotated.stream().filter(one -> one.key().equals(file)).findFirst();
    for (RotatedFile one : rotated) {
      if (own.isEmpty() || order.compare(one, own.get()) < 0) {
        done.put(one.key(), one.size());
      }
    }
  }

  /** The file with the key: rotation gives it another name in the same folder. */
  private Optional<Path> find(String key) throws IOException {
    if (isFile(path, key)) {
      return Optional.of(path);
    }
    for (Path sibling : siblings()) {
      if (isFile(sibling, key)) {
        return Optional.of(sibling);
      }
    }
    return Optional.empty();
  }

  private static boolean isFile(Path file, String key) throws IOException {
    return Stat.of(file).filter(stat -> stat.key.equals(key)).isPresent();
  }

  private List<Path> siblings() throws IOException {
    try (Stream<Path> all = Files.list(path.toAbsolutePath().getParent())) {
      return all.filter(Files::isRegularFile).toList();
    }
  }

  private void goOn(Path there, long at) throws IOException {
    try {
      if (Files.size(there) >= at) {
        open(there, at);
      }
    } catch (NoSuchFileException e) {
      // It was renamed or deleted meanwhile: the log begins anew.
    }
  }

  private void written(FileTime time) {
    modified = time.compareTo(modified) > 0 ? time : modified;
  }

  /** Files with the log's name and a number or date. */
  private List<RotatedFile> rotated() throws IOException {
    List<RotatedFile> all = new ArrayList<>();
    for (Path sibling : siblings()) {
      Optional<String> addition = RotatedFile.addition(path, sibling);
      Optional<Stat> stat = addition.isPresent() ? Stat.of(sibling) : Optional.empty();
      if (stat.isPresent()) {
        Stat of = stat.get();
        all.add(new RotatedFile(sibling, of.key, of.modified, of.size, addition.get()));
      }
    }
    return all;
  }

  /**
   * The next file that had the log's name after the one that was read. One that was written last
   * before that one is none of them: somebody has unpacked it.
   */
  private Path successor() throws IOException {
    List<RotatedFile> all = rotated();
    all.stream().filter(one -> one.key().equals(file)).forEach(one -> written(one.modified()));
    // A file of a key that has fewer bytes, or had gone, is another one: keys are used again.
    done.keySet().retainAll(all.stream().map(RotatedFile::key).toList());
    return all.stream()
        .filter(one -> !one.key().equals(file))
        .filter(one -> one.size() < done.getOrDefault(one.key(), Long.MAX_VALUE))
        .filter(one -> one.modified().compareTo(modified) >= 0)
        .min(RotatedFile.order(all))
        .map(RotatedFile::path)
        .orElse(path);
  }

  private void open(Path next, long at) throws IOException {
    close();
    Optional<String> key = Stat.of(next).map(Stat::key);
    FileChannel opened = FileChannel.open(next, StandardOpenOption.READ);
    Optional<Stat> stat = Stat.of(next);
    if (stat.isEmpty() || !key.equals(stat.map(Stat::key))) { // renamed meanwhile
      opened.close();
      throw new NoSuchFileException(next.toString());
    }
    if (!file.isEmpty()) {
      done.put(file, offset);
    }
    channel = opened.position(at);
    file = stat.get().key;
    done.remove(file);
    written(stat.get().modified);
    offset = at;
    begins.add(new Begin(file, given, at));
  }

  /** The place after so many bytes of those that {@link #next} gave. */
  public Place place(long bytes) {
    while (begins.size() > 1 && begins.get(1).given <= bytes) {
      begins.remove(0);
    }
    Begin begin = begins.get(0);
    return new Place(begin.file, begin.offset + Math.max(0, bytes - begin.given));
  }

  @Override
  public Optional<byte[]> next(long millis) throws IOException {
    if (isFirst) {
      isFirst = false;
      if (offset > 0 && header.length > 0) {
        given += header.length;
        Begin begin = begins.remove(0);
        begins.add(new Begin(begin.file, given, begin.offset));
        return Optional.of(header.clone());
      }
    }
    long end = System.nanoTime() + millis * 1_000_000;
    while (true) {
      byte[] bytes = read();
      if (bytes.length > 0) {
        return Optional.of(bytes);
      }
      boolean isLineEnded = rotate();
      if (!isLineEnded) {
        return Optional.of(lineFeed());
      }
      bytes = read();
      if (bytes.length > 0 || System.nanoTime() - end >= 0) {
        return Optional.of(bytes);
      }
      pause();
    }
  }

  private byte[] read() throws IOException {
    FileChannel open = channel;
    if (open == null) {
      return new byte[0];
    }
    ByteBuffer piece =
        ByteBuffer.allocate((int) Math.min(PIECE, Math.max(0, open.size() - offset)));
    int read = piece.capacity() == 0 ? 0 : open.read(piece);
    if (read <= 0) {
      return new byte[0];
    }
    offset += read;
    given += read;
    byte[] bytes = Arrays.copyOf(piece.array(), read);
    endsLine = bytes[read - 1] == '\n';
    return bytes;
  }

  /**
   * When everything is read, goes to the next file with the name, or back to the beginning of one
   * that shrank. False if the file before ends within a line.
   */
  private boolean rotate() throws IOException {
    FileChannel open = channel;
    boolean isShorter = open != null && open.size() < offset;
    Optional<Stat> named = Stat.of(path);
    if (named.isEmpty()) {
      return true; // between two names
    }
    boolean isOther = open == null || !named.get().key.equals(file);
    if (!isOther) {
      written(named.get().modified);
    }
    if (!isShorter && (!isOther || (open != null && open.size() > offset))) {
      return true;
    }
    try {
      Path next = isOther ? successor() : path;
      if (isOther && open != null && next.equals(path) && Files.size(next) == 0) {
        return true; // its writer may still write to the file before
      }
      if (!endsLine) {
        return false;
      }
      open(next, 0);
    } catch (NoSuchFileException e) {
      close(); // it was renamed again meanwhile
    }
    return true;
  }

  /** Ends the last line of a file whose writer did not. */
  private byte[] lineFeed() {
    endsLine = true;
    given++;
    return new byte[] {'\n'};
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while following a log", e);
    }
  }

  @Override
  public void close() throws IOException {
    if (channel != null) {
      channel.close();
      channel = null;
    }
  }
}
