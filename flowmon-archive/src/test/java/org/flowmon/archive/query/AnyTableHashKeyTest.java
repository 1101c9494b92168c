package org.flowmon.archive.query;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.TableHash;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stored bytes do not depend on the key of a process's {@link TableHash}. */
class AnyTableHashKeyTest {
  @TempDir Path directory;

  @Test
  void segmentsOfEqualFlowsAreTheSameBytesWithAnyKey() throws Exception {
    List<byte[]> first = sealed(1);
    List<byte[]> second = sealed(2);
    assertEquals(first.size(), second.size());
    for (int i = 0; i < first.size(); i++) {
      assertArrayEquals(first.get(i), second.get(i), "file " + i);
    }
  }

  /**
   * The files of segments, sealed by separately loaded classes with a given key. A segment's random
   * name is in both of its files: it is left out, and so is the checksum of the one in the other.
   */
  @SuppressWarnings("unchecked") // loaded by its own class loader
  private List<byte[]> sealed(long key) throws Exception {
    List<URL> path = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      path.add(Path.of(entry).toUri().toURL());
    }
    ClassLoader loader =
        new URLClassLoader(path.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
    String before = System.getProperty(TableHash.SEED_PROPERTY);
    try {
      System.setProperty(TableHash.SEED_PROPERTY, Long.toString(key));
      Class.forName(TableHash.class.getName(), true, loader);
    } finally {
      if (before == null) {
        System.clearProperty(TableHash.SEED_PROPERTY);
      } else {
        System.setProperty(TableHash.SEED_PROPERTY, before);
      }
    }
    var constructor = Class.forName(Seal.class.getName(), true, loader).getDeclaredConstructor();
    constructor.setAccessible(true);
    UnaryOperator<Path> seal = (UnaryOperator<Path>) constructor.newInstance();
    Path folder = seal.apply(Files.createDirectory(directory.resolve("key" + key)));
    List<byte[]> files = new ArrayList<>();
    try (Stream<Path> all = Files.list(folder)) {
      for (Path file : all.filter(Files::isRegularFile).sorted().toList()) {
        String name = file.getFileName().toString();
        String id = name.substring(0, name.indexOf('.'));
        String content = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        content = content.replace(id, "the segment");
        content = content.replaceFirst("\"segment-crc32c\":\"\\w*\"", "checksum");
        files.add(content.getBytes(StandardCharsets.ISO_8859_1));
      }
    }
    return files;
  }

  /** Seals flows into a folder. */
  static final class Seal implements UnaryOperator<Path> {
    @Override
    public Path apply(Path folder) {
      try {
        Traffic traffic = new Traffic(11, true, 0.1);
        SegmentWriter writer = new SegmentWriter();
        for (int rows : new int[] {20_000, 300}) {
          SealedSegment unused = writer.seal(folder, traffic.batches(rows, 0, 1), Provenance.NONE);
        }
        return folder;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
