package org.flowmon.ingest.file.document;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.flowmon.ingest.file.reader.DamagedInputException;
import org.flowmon.ingest.text.ShownText;

/**
 * The flows of an nfcapd file as text, by the installed nfdump. The values are named one by one:
 * {@code -o csv} has times of whole seconds, and {@code %ter} of nfdump 1.7.1 wrong milliseconds.
 */
final class NfcapdText extends InputStream {
  /** Names as nfdump's own CSV has them. */
  static final String HEADER =
      "ts,te,pr,sa,da,sp,dp,flg,stos,ipkt,ibyt,opkt,obyt,in,out,sas,das,smk,dmk,dir,nh,nhb,svln,"
          + "dvln,ismc,odmc,idmc,osmc,ra,fwd,exid\n";

  private static final String FORMAT =
      "fmt:%ts,%te,%pr,%sa,%da,%sp,%dp,%flg,%stos,%ipkt,%ibyt,%opkt,%obyt,%in,%out,%sas,%das,"
          + "%smk,%dmk,%dir,%nh,%nhb,%svln,%dvln,%ismc,%odmc,%idmc,%osmc,%ra,%fwd,%exp";

  private static final int MOST_SAID = 2000;

  private final Process child;
  private final InputStream text;
  // The listener's until it has ended.
  private final StringBuilder said = new StringBuilder();
  private final Thread listener;

  /** Throws {@link IOException} if no nfdump is installed. */
  NfcapdText(Path file) throws IOException {
    List<String> command = List.of("nfdump", "-r", file.toString(), "-q", "-N", "-6", "-o", FORMAT);
    ProcessBuilder start = new ProcessBuilder(command);
    start.environment().put("TZ", "UTC");
    start.environment().put("LC_ALL", "C");
    try {
      this.child = start.start();
    } catch (IOException e) {
      throw new IOException(
          file
              + ": files of nfcapd are read by nfdump, which is not installed or not in PATH"
              + " (Debian: apt install nfdump)",
          e);
    }
    child.getOutputStream().close();
    this.text = child.getInputStream();
    this.listener = new Thread(this::listen, "nfdump-errors");
    listener.setDaemon(true);
    listener.start();
  }

  private void listen() {
    try (InputStream errors = child.getErrorStream()) {
      byte[] some = new byte[512];
      for (int n = errors.read(some); n >= 0; n = errors.read(some)) {
        if (said.length() < MOST_SAID) {
          said.append(new String(some, 0, n, StandardCharsets.UTF_8));
        }
      }
    } catch (IOException e) {
      // The child has ended, and its exit code says how.
    }
  }

  @Override
  public int read() throws IOException {
    int read = text.read();
    if (read < 0) {
      checkEnd();
    }
    return read;
  }

  @Override
  public int read(byte[] into, int at, int most) throws IOException {
    int read = text.read(into, at, most);
    if (read < 0) {
      checkEnd();
    }
    return read;
  }

  private void checkEnd() throws IOException {
    try {
      int code = child.waitFor();
      listener.join();
      // Of a damaged file it says what is wrong, and ends with 0 all the same.
      if (code != 0 || !said.isEmpty()) {
        throw new DamagedInputException(
            "nfdump ended with code " + code + ": " + ShownText.of(said.toString().strip()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while nfdump ran", e);
    }
  }

  @Override
  public void close() throws IOException {
    text.close();
    child.destroy();
    try {
      if (!child.waitFor(5, TimeUnit.SECONDS)) {
        child.destroyForcibly();
      }
    } catch (InterruptedException e) {
      child.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
