package org.flowmon.fuzz;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.deploy.parquet.ParquetFlowReader;
import org.flowmon.flow.FlowBatch;
import org.flowmon.ingest.file.reader.FileReadOptions;

/** Parquet files that somebody wants to import: a sound one with edits, and bytes as they are. */
final class ParquetFuzz implements FuzzTarget {
  private byte[] sound;

  @Override
  public String name() {
    return "parquet";
  }

  @Override
  public String about() {
    return "Parquet files to be imported";
  }

  private byte[] sound() throws IOException {
    if (sound == null) {
      SmallArchive archive = new SmallArchive();
      sound = archive.bytes(archive.names(".parquet").get(0));
    }
    return sound;
  }

  @Override
  public List<byte[]> seeds() throws IOException {
    List<byte[]> seeds = new ArrayList<>();
    for (int back = 9; back < 2000; back += 180) {
      seeds.add(Edits.edit(0, Integer.MIN_VALUE + back, 6, 1));
    }
    byte[] whole = new byte[sound().length + 1];
    whole[0] = 1;
    System.arraycopy(sound, 0, whole, 1, sound.length);
    seeds.add(whole);
    return seeds;
  }

  @Override
  public long allocationLimit(byte[] input) {
    return (96L << 20) + 64L * input.length;
  }

  @Override
  public long cpuLimit(byte[] input) {
    return 200_000_000L + 1_000_000L * (input.length / 1024);
  }

  @Override
  public void run(byte[] input) throws IOException {
    if (input.length < 1) {
      return;
    }
    byte[] file =
        input[0] == 0
            ? Edits.apply(sound(), input, 1)
            : java.util.Arrays.copyOfRange(input, 1, input.length);
    try (ScratchFolder folder = new ScratchFolder()) {
      new ParquetFlowReader(folder.file("input", file), FileReadOptions.defaults())
          .read(1, batch -> FlowBatch.open(batch.bytes().clone()));
    } catch (IOException e) { // UnknownFormatException among them
      ExportsFuzz.require(
          e.getMessage() != null && e.getMessage().contains("input"),
          "an error that does not name the file: " + e);
    }
  }
}
