package org.flowmon.fuzz;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.manifest.ManifestCorruptException;
import org.flowmon.archive.region.SegmentCorruptException;

/**
 * Commits, snapshots and the pointer of a manifest, with the checksum made right or left wrong:
 * nothing but the format's errors may come.
 */
final class ManifestFuzz implements FuzzTarget {
  private SmallArchive archive;
  private List<String> names;
  private String answers;

  @Override
  public String name() {
    return "manifest";
  }

  @Override
  public String about() {
    return "commits and snapshots of an archive's manifest, their checksums made right or not";
  }

  private void prepare() throws IOException {
    if (archive == null) {
      archive = new SmallArchive();
      names = archive.names("manifest/");
      answers = archive.ask("", new byte[0], true);
    }
  }

  @Override
  public List<byte[]> seeds() throws IOException {
    prepare();
    List<byte[]> seeds = new ArrayList<>();
    for (int file = 0; file < names.size(); file++) {
      for (int at : new int[] {6, 48, 56, 60, 90}) {
        seeds.add(Edits.edit(2 * file + 1, at, 0, 5));
      }
      seeds.add(Edits.edit(2 * file, 60, 1, 3));
    }
    return seeds;
  }

  @Override
  public long allocationLimit(byte[] input) {
    return (64L << 20) + 64L * input.length;
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
    String name = names.get((input[0] & 0xFF) / 2 % names.size());
    boolean seal = (input[0] & 1) == 1;
    byte[] edited = Edits.apply(archive.bytes(name), input, 1);
    if (seal) {
      Edits.seal(edited, edited.length - 4);
    }
    try {
      String found = archive.ask(name, edited, true);
      // A commit that was cut off before the newest may be none; else a frame is whole or refused.
      ExportsFuzz.require(
          seal || found.equals(answers) || name.endsWith("latest"), "another answer: " + found);
    } catch (ManifestCorruptException | SegmentCorruptException e) {
      ExportsFuzz.require(e.getMessage() != null, "an error without a message");
    }
  }
}
