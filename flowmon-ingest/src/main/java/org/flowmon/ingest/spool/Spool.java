package org.flowmon.ingest.spool;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.flowmon.flow.files.PrivateFiles;
import org.flowmon.flow.files.SyncedFolders;
import org.flowmon.flow.time.FlowTime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue of batches in a folder, first in, first out, that outlives the process: what was written
 * is read, in this run or the next, until Kafka has it ({@link #ended}). After a kill some batches
 * are read again that Kafka has; each is what it was, so the job knows them by their numbers.
 *
 * <p>One thread writes ({@link #write}, {@link #tidy}, and {@link #close}), one reads ({@link
 * #read}); all else is for any thread, and none of it waits for the disk.
 */
public final class Spool implements Closeable {
  public static final int MAX_BATCH_BYTES = SpoolFile.MAX_BATCH_BYTES;

  private static final Logger LOG = LoggerFactory.getLogger(Spool.class);
  private static final int FILES = 16;
  private static final long MAX_FILE_BYTES = 64L << 20;
  private static final long FORCE_NANOS = 1_000_000_000;
  private static final String LOCK = "lock";

  private final Path folder;
  private final long maxBytes;
  private final String topic;
  private final FileChannel lockFile;
  private final SpoolMark mark;
  private final SpoolMark.Position found;
  private final SpoolContents recovered = new SpoolContents();

  // Of the writing thread: what the device may not have yet.
  private Optional<SpoolFile> unforced = Optional.empty();
  private boolean isNameForced = true;
  private long forcedNanos = System.nanoTime();

  // The monitor guards all fields below.
  private final ArrayDeque<HeldFile> files = new ArrayDeque<>();
  private final ArrayDeque<SpoolPlace> underWay = new ArrayDeque<>();
  private long nextNumber;
  private long bytes;
  private long batches;
  private long flows;
  private long damagedBytes;
  private long markedFile;
  private long markedOffset;

  /**
   * How full it is.
   *
   * @param batches that Kafka does not have yet, heartbeats among them
   * @param oldestMicros how long ago the oldest of them was written, µs; 0 without any
   * @param damagedBytes of files of earlier runs, when it was opened
   */
  public record Load(
      long capacityBytes,
      long bytes,
      long batches,
      long flows,
      long oldestMicros,
      long damagedBytes) {
    public static final Load NONE = new Load(0, 0, 0, 0, 0, 0);

    /** Of both spools. */
    public Load with(Load other) {
      return new Load(
          capacityBytes + other.capacityBytes,
          bytes + other.bytes,
          batches + other.batches,
          flows + other.flows,
          Math.max(oldestMicros, other.oldestMicros),
          damagedBytes + other.damagedBytes);
    }
  }

  /**
   * Opens the spool of a folder, which is made if it is missing, with the batches of earlier runs.
   *
   * @param maxBytes of all files
   * @throws IOException if another process uses it, a file cannot be read, or is of another topic
   *     or a newer version
   */
  public static Spool open(Path folder, long maxBytes, String topic) throws IOException {
    if (!Files.isDirectory(folder)) {
      PrivateFiles.createFolder(folder);
    }
    FileChannel lockFile =
        PrivateFiles.open(
            folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      lock(folder, lockFile);
      SpoolMark mark = SpoolMark.open(folder);
      try {
        Spool spool = new Spool(folder, maxBytes, topic, lockFile, mark);
        spool.recover();
        SyncedFolders.sync(folder); // lock and mark may be new
        return spool;
      } catch (IOException | RuntimeException e) {
        mark.close();
        throw e;
      }
    } catch (IOException | RuntimeException e) {
      lockFile.close();
      throw e;
    }
  }

  private static void lock(Path folder, FileChannel lockFile) throws IOException {
    FileLock lock;
    try {
      lock = lockFile.tryLock();
    } catch (OverlappingFileLockException e) {
      lock = null;
    }
    if (lock == null) {
      throw new IOException(
          "spool " + folder + " is used by another collector: give each a folder of its own");
    }
  }

  private Spool(Path folder, long maxBytes, String topic, FileChannel lockFile, SpoolMark mark)
      throws IOException {
    this.folder = folder;
    this.maxBytes = maxBytes;
    this.topic = topic;
    this.lockFile = lockFile;
    this.mark = mark;
    this.found = mark.read().orElse(SpoolMark.Position.START);
    this.markedFile = found.file();
    this.markedOffset = found.offset();
    this.nextNumber = found.file() + 1;
  }

  private synchronized void recover() throws IOException {
    for (SpoolFile file : SpoolFile.allOf(folder)) {
      nextNumber = Math.max(nextNumber, file.number() + 1);
      if (file.number() < found.file()) {
        file.delete();
        continue;
      }
      SpoolFile.Scan scan = file.scan(file.number() == found.file() ? found.offset() : 0, topic);
      recovered.addAll(scan.contents());
      damagedBytes += scan.damagedBytes();
      bytes += file.size();
      files.add(new HeldFile(file, scan.contents(), scan.firstTime(), true));
    }
    batches = recovered.batches();
    flows = recovered.flows();
    if (batches > 0 || damagedBytes > 0) {
      LOG.warn(
          "spool {} has {} batches ({} flows) of an earlier run; {} bytes of it are cut off or"
              + " damaged",
          folder,
          batches,
          flows,
          damagedBytes);
    }
  }

  /** What earlier runs left, as it was opened. */
  public SpoolContents recovered() {
    return recovered;
  }

  /** Flows that an earlier run had lost and that no batch tells of. */
  public long untold() {
    return found.untold();
  }

  /** The topic's partitions in an earlier run, if known. */
  public OptionalInt partitions() {
    return found.partitions() > 0 ? OptionalInt.of(found.partitions()) : OptionalInt.empty();
  }

  public Path folder() {
    return folder;
  }

  /**
   * Writes a batch behind all others.
   *
   * @return false if there is no room within the bound
   * @throws IOException if the disk does not take it; nothing was written then
   */
  public boolean write(int partition, int rows, byte[] batch) throws IOException {
    Optional<HeldFile> written = append(partition, rows, batch, FlowTime.now());
    if (written.isEmpty()) {
      return false;
    }
    synchronized (this) {
      count(written.get(), rows, batch);
      written.get().unread.add(partition, rows);
    }
    return true;
  }

  /**
   * Writes a batch that Kafka's producer has already, so that the next run sends it if this one
   * ends before Kafka has it: it is not read, and waits for {@link #ended}.
   *
   * @return its place; empty if there is no room within the bound
   * @throws IOException if the disk does not take it; nothing was written then
   * @throws IllegalStateException if batches before it were not read yet
   */
  public Optional<SpoolPlace> writeUnderWay(int partition, int rows, byte[] batch)
      throws IOException {
    if (hasUnread()) {
      throw new IllegalStateException("spool " + folder + ": a batch would overtake others");
    }
    long time = FlowTime.now();
    Optional<HeldFile> written = append(partition, rows, batch, time);
    if (written.isEmpty()) {
      return Optional.empty();
    }
    HeldFile held = written.get();
    synchronized (this) {
      count(held, rows, batch);
      held.file.skipTo(held.end); // who reads is told of more by this monitor
      SpoolPlace place = new SpoolPlace(held.file.number(), held.end, rows, time);
      underWay.add(place);
      return Optional.of(place);
    }
  }

  private Optional<HeldFile> append(int partition, int rows, byte[] batch, long time)
      throws IOException {
    long length = SpoolFile.recordBytes(batch);
    Optional<HeldFile> last = forAppending();
    if (last.isPresent() && last.get().end + length > fileBytes()) {
      force();
      last.get().file.closeWriter();
      seal();
      last = Optional.empty();
    }
    long head = last.isPresent() ? 0 : SpoolFile.headBytes(topic);
    if (!hasRoom(head + length)) {
      return Optional.empty();
    }
    HeldFile held = last.isPresent() ? last.get() : begin();
    unforced = Optional.of(held.file);
    try {
      held.file.append(partition, rows, batch, time);
    } catch (IOException e) {
      try {
        held.file.cut();
      } catch (IOException again) {
        e.addSuppressed(again); // the next batch overwrites it
      }
      throw e;
    }
    return Optional.of(held);
  }

  /** Within the monitor. */
  private void count(HeldFile held, int rows, byte[] batch) {
    held.end = held.file.size();
    bytes += SpoolFile.recordBytes(batch);
    batches++;
    flows += rows;
  }

  private long fileBytes() {
    return Math.min(MAX_FILE_BYTES, maxBytes / FILES);
  }

  private synchronized boolean hasRoom(long length) {
    return bytes + length <= maxBytes;
  }

  private synchronized Optional<HeldFile> forAppending() {
    return Optional.ofNullable(files.peekLast()).filter(held -> !held.sealed);
  }

  private HeldFile begin() throws IOException {
    force(); // of the file before, which may be sealed
    long number;
    synchronized (this) {
      number = nextNumber;
    }
    isNameForced = false;
    SpoolFile file = SpoolFile.create(folder, number, topic);
    HeldFile held = new HeldFile(file, new SpoolContents(), FlowTime.now(), false);
    synchronized (this) {
      nextNumber++;
      bytes += file.size();
      files.add(held);
    }
    return held;
  }

  /** The next batch goes into a new file: the last one can be deleted when Kafka has it. */
  public synchronized void seal() {
    if (!files.isEmpty()) {
      files.getLast().sealed = true;
    }
  }

  /** Whether there is a batch that was not read yet. */
  public synchronized boolean hasUnread() {
    return files.stream().anyMatch(held -> !held.unread.isEmpty());
  }

  /**
   * The oldest batch that was not read yet; empty without any.
   *
   * @param lost takes batches that were written and are damaged
   * @throws IOException if the next one cannot be read for now: it stays, for another try
   */
  public Optional<SpooledBatch> read(Consumer<SpoolContents> lost) throws IOException {
    for (Optional<HeldFile> next = unread(); next.isPresent(); next = unread()) {
      HeldFile held = next.get();
      long end = end(held);
      Optional<SpoolFile.Found> record = read(held.file, end);
      if (record.isPresent()) {
        return Optional.of(begun(held, record.get()));
      }
      giveUp(held, end).ifPresent(lost);
    }
    return Optional.empty();
  }

  private synchronized Optional<HeldFile> unread() {
    return files.stream().filter(held -> !held.unread.isEmpty()).findFirst();
  }

  private synchronized long end(HeldFile held) {
    return held.end;
  }

  /** Empty if nothing sound is left before an offset. */
  private Optional<SpoolFile.Found> read(SpoolFile file, long end) throws IOException {
    try {
      return file.read(end);
    } catch (NoSuchFileException e) {
      if (Files.exists(folder.resolve(LOCK))) {
        return Optional.empty(); // somebody has deleted it
      }
      throw e; // the folder is away, as without its mount
    } catch (IOException e) {
      try {
        file.closeReader(); // an interrupt has closed it; else it is opened anew
      } catch (IOException again) {
        e.addSuppressed(again);
      }
      throw e;
    }
  }

  private synchronized SpooledBatch begun(HeldFile held, SpoolFile.Found record) {
    held.unread.remove(record.partition(), record.rows());
    SpoolPlace place =
        new SpoolPlace(held.file.number(), record.end(), record.rows(), record.time());
    underWay.add(place);
    return new SpooledBatch(
        record.partition(), record.rows(), record.time(), record.bytes(), place);
  }

  /** The rest of a file, if nothing was written behind the damaged bytes meanwhile. */
  private synchronized Optional<SpoolContents> giveUp(HeldFile held, long end) {
    if (held.end != end) {
      return Optional.empty();
    }
    SpoolContents rest = held.unread.takeAll();
    batches -= rest.batches();
    flows -= rest.flows();
    LOG.warn(
        "spool {}: {} batches ({} flows) of {} are damaged",
        folder,
        rest.batches(),
        rest.flows(),
        held.file.path().getFileName());
    return Optional.of(rest);
  }

  /** Kafka has the batch, or it was given up. */
  public synchronized void ended(SpoolPlace place) {
    place.setEnded();
    batches--;
    flows -= place.rows();
    while (!underWay.isEmpty() && underWay.getFirst().hasEnded()) {
      SpoolPlace first = underWay.removeFirst();
      markedFile = first.file();
      markedOffset = first.end();
    }
  }

  /**
   * Deletes files that Kafka has, and writes the mark. The device gets the files each second, and
   * before a mark: it must not say that batches tell of losses which a loss of power takes away.
   *
   * @param untold see {@link #untold}
   */
  public void tidy(long untold, int partitions) throws IOException {
    for (Optional<SpoolFile> done = done(); done.isPresent(); done = done()) {
      SpoolFile file = done.get();
      unforced = unforced.filter(other -> other != file);
      file.delete();
    }
    SpoolMark.Position position;
    synchronized (this) {
      position = new SpoolMark.Position(markedFile, markedOffset, untold, partitions);
    }
    if (mark.isOther(position)) {
      force();
      mark.write(position);
    } else if (System.nanoTime() - forcedNanos >= FORCE_NANOS) {
      force();
    }
  }

  /** On the device are all batches so far, and the names of their files. */
  private void force() throws IOException {
    forcedNanos = System.nanoTime();
    if (unforced.isPresent()) {
      unforced.get().force();
      unforced = Optional.empty();
    }
    if (!isNameForced) {
      SyncedFolders.sync(folder);
      isNameForced = true;
    }
  }

  /** Takes out the oldest file if all of it has ended. */
  private synchronized Optional<SpoolFile> done() {
    HeldFile first = files.peekFirst();
    boolean isDone =
        first != null
            && first.sealed
            && first.unread.isEmpty()
            && (underWay.isEmpty() || underWay.getFirst().file() != first.file.number());
    if (!isDone) {
      return Optional.empty();
    }
    files.removeFirst();
    bytes -= first.file.size();
    if (markedFile <= first.file.number()) {
      markedFile = first.file.number() + 1;
      markedOffset = 0;
    }
    return Optional.of(first.file);
  }

  public synchronized Load load() {
    long oldest =
        underWay.isEmpty()
            ? unread().map(held -> held.firstTime).orElse(0L)
            : underWay.getFirst().time();
    long age = oldest == 0 ? 0 : Math.max(0, FlowTime.now() - oldest);
    return new Load(maxBytes, bytes, batches, flows, age, damagedBytes);
  }

  /** After {@link #tidy}, when nobody reads any more. What Kafka does not have stays. */
  @Override
  public void close() throws IOException {
    try {
      force();
    } finally {
      synchronized (this) {
        for (HeldFile held : files) {
          held.file.close();
        }
      }
      mark.close();
      lockFile.close();
    }
  }
}
