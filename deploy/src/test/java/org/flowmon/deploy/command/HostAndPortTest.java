package org.flowmon.deploy.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostAndPortTest {
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1:8060, 127.0.0.1, 8060",
    "8060, 127.0.0.1, 8060",
    "[::1]:0, 0:0:0:0:0:0:0:1, 0",
    "0.0.0.0:65535, 0.0.0.0, 65535"
  })
  void hostAndPortAreRead(String place, String host, int port) {
    var address = HostAndPort.parse("--listen", place, "127.0.0.1:8060");
    assertEquals(host, address.getAddress().getHostAddress());
    assertEquals(port, address.getPort());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "localhost", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "x y:1"})
  void whatIsNoPlaceIsNamedWithAnExample(String place) {
    UsageException e =
        assertThrows(
            UsageException.class, () -> HostAndPort.parse("--listen", place, "127.0.0.1:8060"));
    assertEquals(
        "--listen " + place + ": expected HOST:PORT, for example 127.0.0.1:8060", e.getMessage());
  }
}
