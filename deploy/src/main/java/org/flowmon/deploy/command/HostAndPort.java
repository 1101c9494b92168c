package org.flowmon.deploy.command;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Addresses as options name them: {@code HOST:PORT}. */
public final class HostAndPort {
  private HostAndPort() {}

  /** Without a host this machine's; throws {@link UsageException}, which gives the example. */
  public static InetSocketAddress parse(String option, String place, String example) {
    int colon = place.lastIndexOf(':');
    try {
      int port = Integer.parseInt(place.substring(colon + 1));
      String host = colon < 0 ? "127.0.0.1" : place.substring(0, colon).replaceAll("[\\[\\]]", "");
      return new InetSocketAddress(InetAddress.getByName(host), port);
    } catch (IllegalArgumentException | UnknownHostException e) { // including a port beyond 65535
      throw new UsageException(
          option + " " + place + ": expected HOST:PORT, for example " + example);
    }
  }
}
