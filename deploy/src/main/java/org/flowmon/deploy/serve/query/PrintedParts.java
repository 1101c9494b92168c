package org.flowmon.deploy.serve.query;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.List;
import org.flowmon.deploy.output.Facts;
import org.flowmon.deploy.query.PrintedQuery;
import org.flowmon.deploy.serve.http.AnswerStream;
import org.flowmon.deploy.serve.http.Exchange;
import org.flowmon.ingest.text.JsonText;

/** What a command prints, as an answer: a line of JSON for each part. */
public final class PrintedParts implements PrintedQuery.Output {
  /** Characters of rows in a part. */
  private static final int PART = 1 << 13;

  /** Prints what a command prints. */
  public interface Printer {
    /** Returns the command's exit code. */
    int print(PrintedQuery.Output out) throws IOException;
  }

  private final JsonGenerator json;
  private final StringBuilder held = new StringBuilder();
  private final PrintWriter rows = new PrintWriter(new Rows());

  private PrintedParts(JsonGenerator json) {
    this.json = json;
  }

  /** Answers with what a command prints. */
  public static void stream(Exchange exchange, Printer printer) throws IOException {
    AnswerStream out = exchange.stream("application/x-ndjson");
    try (JsonGenerator json = JsonText.factory().createGenerator(out)) {
      json.setRootValueSeparator(null);
      PrintedParts parts = new PrintedParts(json);
      parts.end(printer.print(parts));
    }
    out.end();
  }

  @Override
  public PrintWriter rows() {
    return rows;
  }

  @Override
  public void note(String line) {
    try {
      json.writeStartObject();
      json.writeStringField("note", line);
      endPart();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void confidence(List<String> lines, Facts facts) throws IOException {
    json.writeStartObject();
    AnswerFacts.confidence(json, facts);
    AnswerFacts.texts(json, "words", lines);
    endPart();
  }

  private void end(int code) throws IOException {
    json.writeStartObject();
    json.writeBooleanField("end", true);
    json.writeNumberField("code", code);
    endPart();
  }

  private void send() throws IOException {
    if (held.length() > 0) {
      json.writeStartObject();
      json.writeStringField("rows", held.toString());
      held.setLength(0);
      endPart();
    }
  }

  private void endPart() throws IOException {
    json.writeEndObject();
    json.writeRaw('\n');
    json.flush();
  }

  /** Rows as parts. */
  private final class Rows extends Writer {
    @Override
    public void write(char[] text, int from, int length) throws IOException {
      held.append(text, from, length);
      if (held.length() >= PART) {
        send();
      }
    }

    @Override
    public void flush() throws IOException {
      send();
    }

    @Override
    public void close() {}
  }
}
