package org.flowmon.ingest.file.zeek;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.file.format.FlowInput;
import org.flowmon.ingest.file.format.InputFormat;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.file.reader.FileSummary;
import org.flowmon.ingest.file.reader.RejectedLines;

/** The result of {@link ZeekReader} for a log, with the content of the rejects file. */
public record ReadLog(
    List<Map<FlowColumn, Object>> rows, FileSummary summary, List<Map<String, String>> rejects) {

  public static ReadLog of(Path file, Path rejectsFile, ProtectedNetworks networks)
      throws IOException {
    FlowRecorder recorder = new FlowRecorder(64);
    Files.deleteIfExists(rejectsFile);
    FileSummary summary;
    try (RejectedLines rejects = RejectedLines.to(rejectsFile, () -> {})) {
      FileReadOptions options =
          FileReadOptions.defaults().withNetworks(networks).withRejects(rejects);
      summary = new ZeekReader(FlowInput.of(file), InputFormat.ZEEK_TSV, options).read(recorder);
    }
    return new ReadLog(recorder.rows(), summary, parse(rejectsFile));
  }

  public static ReadLog of(byte[] log, Path folder) throws IOException {
    Path file = folder.resolve("conn.log");
    Files.write(file, log);
    return of(file, folder.resolve("rejects.jsonl"), ProtectedNetworks.NONE);
  }

  public static ReadLog of(String log, Path folder) throws IOException {
    return of(log.getBytes(StandardCharsets.UTF_8), folder);
  }

  List<Integer> rejectedLines() {
    return rejects.stream().map(r -> Integer.valueOf(r.get("line"))).toList();
  }

  List<String> reasons() {
    return rejects.stream().map(r -> r.get("reason")).toList();
  }

  private static List<Map<String, String>> parse(Path file) throws IOException {
    List<Map<String, String>> rejects = new ArrayList<>();
    if (!Files.exists(file)) {
      return rejects;
    }
    for (String line : Files.readAllLines(file)) {
      Map<String, String> reject = new TreeMap<>();
      try (JsonParser parser = new JsonFactory().createParser(line)) {
        parser.nextToken();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
          String name = parser.currentName();
          parser.nextToken();
          reject.put(
              name,
              name.equals("raw_base64")
                  ? new String(
                      Base64.getDecoder().decode(parser.getText()), StandardCharsets.ISO_8859_1)
                  : parser.getText());
        }
      }
      rejects.add(reject);
    }
    return rejects;
  }
}
