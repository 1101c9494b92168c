package org.flowmon.fuzz;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.manifest.ManifestCorruptException;
import org.flowmon.archive.region.SegmentCorruptException;

/**
 * Segments, sidecars and derived files of an archive whose manifest is sound. With checksums
 * verified the answers are those of the sound archive, or an error of the format; without, nothing
 * but the format's errors may come.
 */
final class ArchiveFilesFuzz implements FuzzTarget {
  private SmallArchive archive;
  private List<String> names;
  private String answers;

  @Override
  public String name() {
    return "archive-files";
  }

  @Override
  public String about() {
    return "segments, sidecars and derived files behind a sound manifest, verified or not";
  }

  private void prepare() throws IOException {
    if (archive == null) {
      archive = new SmallArchive();
      names = new ArrayList<>(archive.names("segments/"));
      archive.names("").stream()
          .filter(name -> !name.startsWith("manifest/") && !names.contains(name))
          .forEach(names::add);
      answers = archive.ask("", new byte[0], true);
    }
  }

  @Override
  public List<byte[]> seeds() throws IOException {
    prepare();
    List<byte[]> seeds = new ArrayList<>();
    for (int file = 0; file < names.size(); file++) {
      seeds.add(Edits.edit(2 * file, 100, 1, 3));
      seeds.add(Edits.edit(2 * file + 1, 300, 4, 0x7FFF_FFFF));
      seeds.add(Edits.edit(2 * file + 1, Integer.MIN_VALUE + 20, 0, 1));
    }
    return seeds;
  }

  @Override
  public long allocationLimit(byte[] input) {
    return (64L << 20) + 64L * input.length; // a whole archive is written and asked
  }

  @Override
  public long cpuLimit(byte[] input) {
    return 400_000_000L + 1_000_000L * (input.length / 1024);
  }

  @Override
  public void run(byte[] input) throws IOException {
    prepare();
    if (input.length < 1 + Edits.BYTES) {
      return;
    }
    boolean verify = (input[0] & 1) == 0;
    String name = names.get((input[0] & 0xFF) / 2 % names.size());
    try {
      String found = archive.ask(name, Edits.apply(archive.bytes(name), input, 1), verify);
      ExportsFuzz.require(!verify || found.equals(answers), "another answer: " + found);
    } catch (SegmentCorruptException | ManifestCorruptException e) {
      ExportsFuzz.require(e.getMessage() != null, "an error without a message");
    }
  }
}
