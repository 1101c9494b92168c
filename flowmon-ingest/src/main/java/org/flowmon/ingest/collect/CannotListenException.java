package org.flowmon.ingest.collect;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;

/** An address cannot be bound; the message says which, why, and what to do about it. */
public final class CannotListenException extends IOException {
  private static final long serialVersionUID = 1;
  private static final int FIRST_FREE_PORT = 1024;

  /** {@code protocol}: UDP or TCP. */
  public CannotListenException(String protocol, InetSocketAddress address, Exception cause) {
    super(
        "cannot listen on "
            + protocol
            + " "
            + text(address)
            + ": "
            + cause.getMessage()
            + remedy(address, cause),
        cause);
  }

  private static String text(InetSocketAddress address) {
    return address.toString().replaceFirst("^[^/]*/", "");
  }

  private static String remedy(InetSocketAddress address, Exception cause) {
    String why = String.valueOf(cause.getMessage());
    if (why.contains("in use")) {
      return "; end what listens there, or take another port";
    }
    if (why.contains("ssign requested address")) {
      return "; take an address of this machine, or 0.0.0.0 for all";
    }
    boolean isLow = address.getPort() > 0 && address.getPort() < FIRST_FREE_PORT;
    return isLow && cause instanceof BindException
        ? "; a port below 1024 needs the capability CAP_NET_BIND_SERVICE"
        : "";
  }
}
