package org.flowmon.bench.collect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code flowmon collect} with its defaults while a broker is killed and restarted. */
class BrokerOutageTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void nothingIsLostWhileABrokerIsAway(int brokers) throws Exception {
    // Slow, because the socket's buffer must hold the datagrams while other processes have the
    // machine. Including its start, the broker is away for about eight seconds.
    BrokerOutage outage =
        new BrokerOutage(
            brokers,
            2_000,
            Duration.ofSeconds(1),
            Duration.ofSeconds(3),
            Duration.ofSeconds(5),
            1,
            List.of(),
            Map.of(),
            false);
    BrokerOutage.Outcome outcome = outage.run(directory);
    assertEquals(0, outcome.unaccounted(), outcome.toString());
    assertEquals(0, outcome.count("kernel_drops"), outcome.toString());
    assertTrue(outcome.sent().flows() > 0, outcome.toString());
    assertEquals(outcome.sent().flows(), outcome.topic().flows(), outcome.toString());
  }
}
