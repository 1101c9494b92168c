package org.flowmon.bench.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class ProcessMemoryTest {
  @Test
  void fieldsOfProcAreBytes() {
    String status =
        "Name:\tjava\nVmPeak:\t 9000 kB\nVmHWM:\t    5000 kB\nVmRSS:\t    4000 kB\n"
            + "RssAnon:\t    3000 kB\nRssFile:\t     900 kB\nRssShmem:\t 100 kB\nThreads:\t3\n";
    assertEquals(
        new ProcessMemory(4000L << 10, 5000L << 10, 3000L << 10, 900L << 10),
        ProcessMemory.parse(status));
  }

  @Test
  void thisProcessHasAnonymousMemoryWithinWhatIsResident() throws Exception {
    ProcessMemory now = ProcessMemory.now();
    assertTrue(now.anonymous() <= now.resident() && now.resident() <= now.most(), now.toString());
  }
}
