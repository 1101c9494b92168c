package org.flowmon.ingest.file.live;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A log that grows and is rotated. If another file gets its name, the rest of the one before is
 * read first; one that shrinks is read from its beginning. Compressed logs are not followed.
 */
public final class FollowedLog implements LiveSource {
  private static final int PIECE = 1 << 18;
  private static final long PAUSE_MILLIS = 50;

  /** A place in a log: which file, whatever its name is now, and how many of its bytes. */
  public record Place(String file, long offset) {}

  /** Where a file's bytes begin among those that {@link #next} gave. */
  private record Begin(String file, long given, long offset) {}

  private final Path path;
  private final byte[] header;
  private final List<Begin> begins = new ArrayList<>();
  private @Nullable FileChannel channel;
  private String file = "";
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
    if (from.isPresent()) {
      Path there = find(from.get().file());
      if (there != null && Files.size(there) >= from.get().offset()) {
        open(there, from.get().offset());
      }
    }
    if (channel == null) {
      open(path, 0);
    }
  }

  /**
   * The file with the key: rotation gives it another name in the same folder. Null if it is gone.
   */
  private @Nullable Path find(String key) throws IOException {
    if (Files.exists(path) && key(path).equals(key)) {
      return path;
    }
    Path folder = path.toAbsolutePath().getParent();
    try (Stream<Path> siblings = Files.list(folder)) {
      for (Path sibling : siblings.filter(Files::isRegularFile).toList()) {
        if (key(sibling).equals(key)) {
          return sibling;
        }
      }
    }
    return null;
  }

  /** What tells files apart whatever their name is: the inode where there are some. */
  private static String key(Path file) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    Object key = attributes.fileKey();
    return key == null ? attributes.creationTime().toString() : key.toString();
  }

  private void open(Path next, long at) throws IOException {
    close();
    channel = FileChannel.open(next, StandardOpenOption.READ);
    channel.position(at);
    file = key(next);
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
    byte[] bytes = java.util.Arrays.copyOf(piece.array(), read);
    endsLine = bytes[read - 1] == '\n';
    return bytes;
  }

  /**
   * Goes to another file with the name, or back to the beginning of one that shrank, if everything
   * is read. False if the file before ends within a line.
   */
  private boolean rotate() throws IOException {
    FileChannel open = channel;
    boolean isShorter = open != null && open.size() < offset;
    boolean isOther;
    try {
      isOther = open == null || !key(path).equals(file);
    } catch (NoSuchFileException e) {
      return true; // between two names
    }
    if (!isShorter && (!isOther || (open != null && open.size() > offset))) {
      return true;
    }
    if (!endsLine) {
      return false;
    }
    try {
      open(path, 0);
    } catch (NoSuchFileException e) {
      channel = null; // it was renamed again meanwhile
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
