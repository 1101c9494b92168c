package org.flowmon.jobs.store;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.utils.AttributeMap;

/**
 * An HTTP client of answers bounded in time and size: for an object an attempt's time and a second
 * per MiB of stated length; for a listing or error, which the SDK parses to a tree first, that time
 * and {@link #MOST_TEXT} or {@link #MOST_ERROR}. A socket's timeout covers a single read: a server
 * that sends a byte a second never exceeds it.
 */
final class BoundedHttpClient implements SdkHttpClient {
  /** Bytes of a listing; a thousand keys of the longest names are 3 MB. */
  static final int MOST_TEXT = 16 << 20;

  /** Bytes of an error, which has a code and a sentence. */
  static final int MOST_ERROR = 1 << 20;

  private final SdkHttpClient client;
  private final Duration timeout;

  private BoundedHttpClient(SdkHttpClient client, Duration timeout) {
    this.client = client;
    this.timeout = timeout;
  }

  /** Builds a client around another. */
  static final class Builder implements SdkHttpClient.Builder<Builder> {
    private final SdkHttpClient.Builder<?> inner;
    private final Duration timeout;

    Builder(SdkHttpClient.Builder<?> inner, Duration timeout) {
      this.inner = inner;
      this.timeout = timeout;
    }

    @Override
    public SdkHttpClient buildWithDefaults(AttributeMap defaults) {
      return new BoundedHttpClient(inner.buildWithDefaults(defaults), timeout);
    }
  }

  @Override
  public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
    ExecutableHttpRequest prepared = client.prepareRequest(request);
    return new ExecutableHttpRequest() {
      @Override
      public HttpExecuteResponse call() throws IOException {
        long begun = System.nanoTime();
        HttpExecuteResponse response = prepared.call();
        HttpExecuteResponse.Builder bounded =
            HttpExecuteResponse.builder().response(response.httpResponse());
        response
            .responseBody()
            .ifPresent(
                body ->
                    bounded.responseBody(
                        bounded(request.httpRequest(), response.httpResponse(), body, begun)));
        return bounded.build();
      }

      @Override
      public void abort() {
        prepared.abort();
      }
    };
  }

  private AbortableInputStream bounded(
      SdkHttpRequest request, SdkHttpResponse response, AbortableInputStream body, long begun) {
    boolean isObject =
        request.method() == SdkHttpMethod.GET
            && response.isSuccessful()
            && request.firstMatchingRawQueryParameter("list-type").isEmpty();
    long seconds = isObject ? length(response) >> 20 : 0;
    long deadline = begun + timeout.plusSeconds(seconds).toNanos();
    long most = response.isSuccessful() ? MOST_TEXT : MOST_ERROR;
    if (isObject) {
      most = Long.MAX_VALUE;
    }
    return AbortableInputStream.create(new Bounded(body, most, deadline), body);
  }

  private static long length(SdkHttpResponse response) {
    Optional<String> length = response.firstMatchingHeader("Content-Length");
    try {
      long bytes = length.isPresent() ? Long.parseLong(length.get()) : 0;
      return Math.max(0, Math.min(bytes, Integer.MAX_VALUE));
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  @Override
  public void close() {
    client.close();
  }

  @Override
  public String clientName() {
    return client.clientName();
  }

  /** Fails if it goes on for too long. */
  private static final class Bounded extends FilterInputStream {
    private static final int SLICE = 1 << 16;

    private final AbortableInputStream body;
    private final long most;
    private final long deadline;
    private long taken;

    Bounded(AbortableInputStream body, long most, long deadline) {
      super(body);
      this.body = body;
      this.most = most;
      this.deadline = deadline;
    }

    private void check() throws IOException {
      boolean tooMuch = taken > most;
      if (tooMuch || System.nanoTime() - deadline > 0) {
        body.abort(); // closing it would read the rest
        throw new IOException(
            tooMuch
                ? "the answer has more than " + most + " bytes"
                : "the answer did not end in time, after " + taken + " bytes");
      }
    }

    @Override
    public int read() throws IOException {
      check();
      int b = in.read();
      taken += b < 0 ? 0 : 1;
      return b;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      check();
      int n = in.read(bytes, offset, Math.min(length, SLICE));
      taken += Math.max(0, n);
      return n;
    }

    @Override
    public long skip(long bytes) throws IOException {
      return InputStream.nullInputStream().skip(0); // skipped bytes would not be counted
    }
  }
}
