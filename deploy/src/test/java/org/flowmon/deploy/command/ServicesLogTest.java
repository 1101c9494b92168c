package org.flowmon.deploy.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ServicesLogTest {
  /** A process with many threads that make its first loggers at once. */
  static final class Services {
    private Services() {}

    public static void main(String[] args) throws Exception {
      ServicesLog.quiet();
      CyclicBarrier together = new CyclicBarrier(16);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < together.getParties(); i++) {
        String name = "service" + i;
        Thread thread =
            new Thread(
                () -> {
                  try {
                    together.await();
                  } catch (Exception e) {
                    throw new IllegalStateException(e);
                  }
                  LoggerFactory.getLogger(name).debug("begins");
                });
        threads.add(thread);
        thread.start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
  }

  @Test
  void threadsThatMakeTheFirstLoggersSayNothing() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                Services.class.getName())
            .redirectErrorStream(true)
            .start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals("", said);
    assertEquals(0, process.waitFor());
  }
}
