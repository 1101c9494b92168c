package org.flowmon.ingest.file.document;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.flowmon.ingest.file.format.FlowInput;

/** A file as the text that is made of it. */
public final class DocumentInput implements FlowInput {
  /** Opens the text, after its header. */
  private interface Opener {
    InputStream open(AtomicLong bytesRead) throws IOException;
  }

  private final FlowInput document;
  // The first line of CSV; empty for JSON.
  private final byte[] header;
  private final Opener opener;

  private DocumentInput(FlowInput document, String header, Opener opener) {
    this.document = document;
    this.header = header.getBytes(StandardCharsets.US_ASCII);
    this.opener = opener;
  }

  /** Each object of a JSON document on a line. */
  public static FlowInput json(FlowInput document) {
    return new DocumentInput(document, "", read -> new JsonDocumentLines(document.open(read)));
  }

  /** CSV of the tuples of Azure's flow logs. */
  public static FlowInput azure(FlowInput document) {
    return new DocumentInput(
        document, AzureLines.HEADER, read -> new AzureLines(document.open(read)));
  }

  /** CSV with nfdump's names, by the installed nfdump. */
  public static FlowInput nfcapd(Path file) {
    return new DocumentInput(
        FlowInput.of(file),
        NfcapdText.HEADER,
        read -> {
          InputStream text = new NfcapdText(file);
          read.addAndGet(Files.size(file));
          return text;
        });
  }

  @Override
  public Path name() {
    return document.name();
  }

  @Override
  public byte[] head(int most) throws IOException {
    return header.length > 0 ? header.clone() : document.head(most);
  }

  @Override
  public InputStream open(AtomicLong bytesRead) throws IOException {
    InputStream text = opener.open(bytesRead);
    return header.length == 0
        ? text
        : new SequenceInputStream(new ByteArrayInputStream(header), text);
  }

  @Override
  public boolean isLive() {
    return document.isLive();
  }

  @Override
  public boolean isFollowed() {
    return document.isFollowed();
  }
}
