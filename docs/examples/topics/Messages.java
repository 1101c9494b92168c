import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Prints what counts of messages of topics "flowmon.reports.*" and "flowmon.alerts", as JSON: of each
 * window the rows of its highest revision, of each alert its last message. Usage: java -cp JACKSON
 * Messages.java, with the messages' values on standard input, a line for each.
 */
public final class Messages {
  static final List<String> REPORT =
      List.of("analysis", "window_start", "window_end", "revision", "row_number", "columns");
  static final List<String> ALERT =
      List.of("id", "number", "state", "severity", "analysis", "rule", "key", "columns");

  /** A window's rows by number. */
  record Window(int revision, Map<Integer, ObjectNode> rows) {}

  final Map<String, Window> windows = new TreeMap<>();
  final Map<String, ObjectNode> alerts = new TreeMap<>();

  void add(ObjectNode message) throws IOException {
    boolean isAlert = message.has("id");
    int version = message.path("version").asInt();
    if (version < 1 || version > (isAlert ? 1 : 3)) {
      throw new IOException("version " + version + ": this reads alerts of 1, reports of 1 to 3");
    }
    if (isAlert) {
      addAlert(message);
    } else {
      addReport(message);
    }
  }

  private void addAlert(ObjectNode message) {
    ObjectNode last = alerts.get(message.path("id").asText());
    if (last == null || message.path("number").asLong() >= last.path("number").asLong()) {
      alerts.put(message.path("id").asText(), message.retain(ALERT));
    }
  }

  private void addReport(ObjectNode message) {
    int revision = message.path("revision").asInt();
    int rows = message.path("rows").asInt();
    String key =
        String.join(
            "|", REPORT.subList(0, 3).stream().map(name -> message.path(name).asText()).toList());
    Window window = windows.get(key);
    if (window != null && revision < window.revision()) {
      return;
    }
    if (window == null || revision > window.revision()) {
      window = new Window(revision, new TreeMap<>());
      windows.put(key, window);
    }
    window.rows().keySet().removeIf(number -> number > rows);
    if (rows > 0) { // else a report without rows, version 2
      window.rows().put(message.path("row_number").asInt(), message.retain(REPORT));
    }
  }

  public static void main(String[] args) throws IOException {
    ObjectMapper json = new ObjectMapper();
    Messages messages = new Messages();
    try (var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        JsonNode message = json.readTree(line);
        if (!(message instanceof ObjectNode object)) {
          throw new IOException("expected an object: " + line);
        }
        messages.add(object);
      }
    } catch (IOException e) {
      System.err.println(e.getMessage());
      System.exit(1);
    }
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    messages.windows.values().forEach(window -> window.rows().values().forEach(out::println));
    messages.alerts.values().forEach(out::println);
    out.flush();
  }
}
