package org.flowmon.jobs.sink.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.flowmon.archive.store.NoRoomException;
import org.junit.jupiter.api.Test;

class NoRoomRetryTest {
  private static NoRoomException full() {
    return new NoRoomException(Path.of("."), 7, new IOException("No space left on device"));
  }

  @Test
  void whatAFullDiskDidNotTakeIsTriedAgainAndNotLost() throws Exception {
    NoRoomRetry room = new NoRoomRetry();
    int[] tries = {0};
    String done =
        room.run(
            () -> {
              if (++tries[0] < 3) {
                throw full();
              }
              return "sealed";
            });
    assertEquals("sealed", done);
    assertEquals(3, tries[0]);
    assertEquals(1500, room.waitedMillis());
  }

  @Test
  void aDiskThatStaysFullFailsAndSaysSo() {
    NoRoomRetry room = new NoRoomRetry(Duration.ofNanos(1));
    NoRoomException e =
        assertThrows(
            NoRoomException.class,
            () ->
                room.run(
                    () -> {
                      throw full();
                    }));
    assertTrue(e.getMessage().contains("7 bytes of unneeded files were deleted"), e.getMessage());
  }

  @Test
  void otherErrorsAreNotTriedAgain() {
    NoRoomRetry room = new NoRoomRetry();
    int[] tries = {0};
    assertThrows(
        IOException.class,
        () ->
            room.run(
                () -> {
                  tries[0]++;
                  throw new IOException("Input/output error");
                }));
    assertEquals(1, tries[0]);
  }
}
