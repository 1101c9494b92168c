package org.flowmon.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.archive.store.ForwardingArchiveStore;
import org.flowmon.archive.store.LocalArchiveStore;
import org.flowmon.flow.FlowColumn;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArchiveSettingsTest {
  @TempDir Path folder;

  @Test
  void twoThatChangeTheSettingsAtOnceKeepEachOthersLines() throws Exception {
    CountDownLatch bothHaveRead = new CountDownLatch(2);
    ArchiveSettings settings =
        new ArchiveSettings(
            new ForwardingArchiveStore(new LocalArchiveStore(folder)) {
              @Override
              public byte[] read(String name, long maxBytes) throws IOException {
                byte[] bytes = super.read(name, maxBytes);
                bothHaveRead.countDown();
                try {
                  bothHaveRead.await();
                } catch (InterruptedException e) {
                  throw new IOException(e);
                }
                return bytes;
              }
            });
    CompletableFuture<Void> other =
        CompletableFuture.runAsync(
            () -> {
              try {
                settings.keepColumns(List.of(FlowColumn.SERVICE));
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    settings.setSegments(SegmentOptions.LOOKUP);
    other.get();
    assertEquals(
        Set.of("column: 42 service text", "segments: " + SegmentOptions.LOOKUP),
        Set.copyOf(Files.readAllLines(folder.resolve("settings"))));
  }
}
