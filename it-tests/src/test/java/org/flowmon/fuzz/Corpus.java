package org.flowmon.fuzz;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * The committed inputs of a target: {@code src/test/resources/corpus/NAME.zip}, an entry each. They
 * are what an earlier run found to reach something new, and inputs of findings, which begin with
 * {@code found-}.
 */
final class Corpus {
  private Corpus() {}

  /** The seeds and the committed inputs of a target. */
  static List<byte[]> of(FuzzTarget target) throws Exception {
    List<byte[]> inputs = new ArrayList<>(target.seeds());
    inputs.addAll(committed(target));
    return inputs;
  }

  /** The seeds of a target, and so many of its committed inputs, or all if it has fewer. */
  static List<byte[]> some(FuzzTarget target, int committed, Random random) throws Exception {
    List<byte[]> all = committed(target);
    Collections.shuffle(all, random);
    List<byte[]> inputs = new ArrayList<>(target.seeds());
    inputs.addAll(all.subList(0, Math.min(committed, all.size())));
    return inputs;
  }

  private static List<byte[]> committed(FuzzTarget target) throws IOException {
    List<byte[]> inputs = new ArrayList<>();
    try (InputStream in = Corpus.class.getResourceAsStream("/corpus/" + target.name() + ".zip")) {
      if (in != null) {
        ZipInputStream zip = new ZipInputStream(in);
        while (zip.getNextEntry() != null) {
          inputs.add(zip.readAllBytes());
        }
      }
    }
    return inputs;
  }

  /** Writes inputs into a folder, a file each, named by content. */
  static void unpack(List<byte[]> inputs, Path folder) throws IOException {
    Files.createDirectories(folder);
    for (byte[] input : inputs) {
      Files.write(folder.resolve(name(input)), input);
    }
  }

  private static String name(byte[] input) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(input));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }

  /**
   * Packs a folder of inputs, the smallest first.
   *
   * @param maxBytes of an input, and maxAll of all
   */
  static void pack(Path folder, Path zip, int maxBytes, int maxAll) throws IOException {
    List<Path> files;
    try (var all = Files.list(folder)) {
      files = new ArrayList<>(all.filter(Files::isRegularFile).toList());
    }
    files.sort(
        java.util.Comparator.comparingLong((Path file) -> file.toFile().length())
            .thenComparing(Path::toString));
    Path made = Files.createTempFile(zip.toAbsolutePath().getParent(), ".corpus", ".zip");
    long bytes = 0;
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(made))) {
      for (Path file : files) {
        long length = Files.size(file);
        if (length > maxBytes || bytes + length > maxAll) {
          break;
        }
        bytes += length;
        ZipEntry entry = new ZipEntry(file.getFileName().toString());
        entry.setTime(315_532_800_000L); // 1980: the same inputs make the same file
        out.putNextEntry(entry);
        Files.copy(file, out);
        out.closeEntry();
      }
    }
    Files.move(made, zip, StandardCopyOption.REPLACE_EXISTING);
  }
}
