package org.flowmon.deploy.generate;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.deploy.export.file.ExportFormat;
import org.flowmon.deploy.export.file.FileTarget;
import org.flowmon.deploy.export.file.PartFile;
import org.flowmon.deploy.export.file.StreamTarget;
import org.flowmon.deploy.export.row.ExportTarget;
import org.flowmon.deploy.terminal.TerminalStream;

/** What {@code --to} names. */
record Target(String text, boolean force) {
  private static final String UDP = "udp:";
  private static final String ARCHIVE = "archive:";

  boolean isUdp() {
    return text.startsWith(UDP);
  }

  /** Opens it; {@code limits} are part of what an archive knows a run by. */
  FlowOutput open(FlowOrigin origin, Generator.Limits limits) throws IOException {
    if (isUdp()) {
      return WireOutput.udp(origin, address(text.substring(UDP.length()).replaceFirst("^//", "")));
    }
    if (text.startsWith(ARCHIVE)) {
      ArchiveLocation location = TraceOrigin.location(text.substring(ARCHIVE.length()));
      String identity = origin.identity() + limits;
      return new RowOutput(
          origin.routers(), new ArchiveRows(location, origin.name(), identity, force));
    }
    if (text.equals("-")) {
      ExportTarget out = new StreamTarget(TerminalStream.exact(System.out), ExportFormat.CSV);
      return new RowOutput(origin.routers(), new FileRows(out));
    }
    Path file = Path.of(text);
    String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
    if (name.endsWith(".pcap") || name.endsWith(".pcap.gz")) {
      try {
        PartFile.check(file, force);
      } catch (FileAlreadyExistsException e) {
        throw exists(text, e);
      }
      return WireOutput.capture(origin, file, force);
    }
    return new RowOutput(origin.routers(), new FileRows(rows("--to", file, force)));
  }

  /** A file of rows, by its name. */
  static ExportTarget rows(String option, Path file, boolean force) throws IOException {
    Optional<ExportFormat> format = ExportFormat.byName(file);
    if (format.isEmpty()) {
      throw new UsageException(
          option
              + " "
              + file
              + ": its name tells no format: expected one that ends with .csv, .json or .parquet"
              + (option.equals("--to") ? ", or .pcap, udp:PORT or archive:DIR" : ""));
    }
    try {
      return FileTarget.of(file, format.get(), force);
    } catch (FileAlreadyExistsException e) {
      throw exists(option + " " + file, e);
    }
  }

  private static UsageException exists(String what, FileAlreadyExistsException e) {
    UsageException usage = new UsageException(what + ": the file exists; --force overwrites it");
    usage.initCause(e);
    return usage;
  }

  /** {@code PORT} on loopback, or {@code HOST:PORT}. */
  private static InetSocketAddress address(String text) throws UnknownHostException {
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? "127.0.0.1" : text.substring(0, colon);
    int port;
    try {
      port = Integer.parseInt(text.substring(colon + 1));
    } catch (NumberFormatException e) {
      port = 0;
    }
    if (port < 1 || port > 65_535 || host.isEmpty()) {
      throw new UsageException(
          "--to udp:" + text + ": expected udp:PORT or udp:HOST:PORT, with a port of 1…65535");
    }
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    return new InetSocketAddress(InetAddress.getByName(host), port);
  }
}
