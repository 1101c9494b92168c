package org.flowmon.deploy.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.ProtectedNetworks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code --protected}: networks, or the file of a configuration that has them. */
class ProtectedOptionTest {
  private static ProtectedNetworks networks(Object... given) {
    ProtectedOption option = new ProtectedOption();
    String[] arguments = new String[2 * given.length];
    for (int i = 0; i < given.length; i++) {
      arguments[2 * i] = "--protected";
      arguments[2 * i + 1] = given[i].toString();
    }
    new CommandLine(option).parseArgs(arguments);
    return option.networks();
  }

  private static boolean has(ProtectedNetworks networks, String address) {
    IpAddress parsed = IpAddress.parse(address);
    return networks.contains(parsed.hi(), parsed.lo());
  }

  @Test
  void aConfigurationStandsForTheNetworksThatItHas(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("flowmon.yaml");
    Files.writeString(file, "enrichment: {inside: [10.0.0.0/8, '2001:db8::/32']}\n");
    ProtectedNetworks networks = networks(file, "192.0.2.0/24");
    assertTrue(has(networks, "10.1.2.3"));
    assertTrue(has(networks, "2001:db8::1"));
    assertTrue(has(networks, "192.0.2.9"));
    assertTrue(!has(networks, "198.51.100.1"));
  }

  @Test
  void aConfigurationWithoutNetworksIsRefused(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("flowmon.yaml");
    Files.writeString(file, "enrichment: {reload: 1m}\n");
    UsageException e = assertThrows(UsageException.class, () -> networks(file));
    assertEquals(
        "--protected: " + file + " has no enrichment.inside: expected a list of networks",
        e.getMessage());
    e = assertThrows(UsageException.class, () -> networks(folder.resolve("none.yaml")));
    assertTrue(e.getMessage().startsWith("--protected: "), e.getMessage());
  }
}
