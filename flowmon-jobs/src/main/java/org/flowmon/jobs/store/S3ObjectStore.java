package org.flowmon.jobs.store;

import java.io.IOException;
import java.net.URI;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.flowmon.archive.store.ObjectStore;
import org.flowmon.archive.store.StoredFile;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.StandardRetryStrategy;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * Objects below a prefix of an S3 bucket, or of a service that speaks its protocol. The first put
 * of a name wins by {@code If-None-Match: *} (<a
 * href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html">conditional
 * writes</a>): 412 says that there is one, 409 that another writes it just now, and is tried again.
 *
 * <p>Requests that fail in passing (5xx, throttling, timeouts) are sent again a bounded number of
 * times by the SDK, with growing pauses.
 */
final class S3ObjectStore implements ObjectStore {
  private static final int CONFLICT = 409;
  private static final int EXISTS = 412;
  private static final int NOT_FOUND = 404;
  private static final long CONFLICT_PAUSE_MILLIS = 50;

  private final String url;
  private final String bucket;
  private final String prefix; // empty, or ends with a slash
  private final S3Options options;
  private final S3Client client;

  /** Opens a bucket; nothing is sent yet. */
  S3ObjectStore(URI address, S3Options options) throws IOException {
    if (address.getAuthority() == null) {
      throw new IOException(address + ": expected s3://BUCKET/PREFIX");
    }
    this.bucket = address.getAuthority();
    String path = address.getPath().replaceAll("^/+|/+$", "");
    this.prefix = path.isEmpty() ? "" : path + "/";
    this.url = "s3://" + bucket + "/" + prefix;
    this.options = options;
    try {
      this.client = client(options);
    } catch (SdkException e) {
      // No region, say. The SDK's messages hold no secrets.
      throw new IOException(url + ": " + e.getMessage(), e);
    }
  }

  private static S3Client client(S3Options options) throws IOException {
    S3ClientBuilder builder =
        S3Client.builder()
            .httpClientBuilder(
                UrlConnectionHttpClient.builder()
                    .connectionTimeout(Duration.ofSeconds(5))
                    .socketTimeout(options.timeout()))
            // Services that are not AWS's may not know the SDK's newer checksums; each file of an
            // archive has one of its own.
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
            .serviceConfiguration(S3Configuration.builder().chunkedEncodingEnabled(false).build())
            .forcePathStyle(options.pathStyle())
            .overrideConfiguration(
                o ->
                    o.retryStrategy(
                        StandardRetryStrategy.builder().maxAttempts(options.attempts()).build()))
            .credentialsProvider(credentials(options));
    if (options.endpoint() != null) {
      builder.endpointOverride(options.endpoint());
    }
    if (options.region() != null) {
      builder.region(Region.of(options.region()));
    } else if (options.endpoint() != null) {
      // Services that are not AWS's have none, but a signature names one.
      builder.region(Region.US_EAST_1);
    }
    return builder.build();
  }

  private static AwsCredentialsProvider credentials(S3Options options) throws IOException {
    if (options.accessKey() != null) {
      return StaticCredentialsProvider.create(
          AwsBasicCredentials.create(options.accessKey(), options.secret()));
    }
    DefaultCredentialsProvider.Builder chain = DefaultCredentialsProvider.builder();
    if (options.profile() != null) {
      chain.profileName(options.profile());
    }
    return chain.build();
  }

  private String key(String name) {
    return prefix + name;
  }

  @Override
  public boolean putIfAbsent(String name, byte[] bytes) throws IOException {
    PutObjectRequest request = put(name, bytes.length).ifNoneMatch("*").build();
    for (int attempt = 1; ; attempt++) {
      try {
        client.putObject(request, RequestBody.fromBytes(bytes));
        return true;
      } catch (AwsServiceException e) {
        if (e.statusCode() == EXISTS) {
          return false;
        }
        if (e.statusCode() != CONFLICT || attempt >= options.attempts()) {
          throw failed("write", name, e);
        }
      } catch (SdkException e) {
        throw failed("write", name, e);
      }
      pause(attempt);
    }
  }

  private static void pause(int attempt) throws IOException {
    try {
      TimeUnit.MILLISECONDS.sleep(CONFLICT_PAUSE_MILLIS << Math.min(attempt, 6));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private PutObjectRequest.Builder put(String name, long bytes) {
    return PutObjectRequest.builder()
        .bucket(bucket)
        .key(key(name))
        .overrideConfiguration(o -> o.apiCallAttemptTimeout(timeout(bytes)));
  }

  private Duration timeout(long bytes) {
    return options.timeout().plusSeconds(bytes >> 20);
  }

  @Override
  public void put(String name, byte[] bytes) throws IOException {
    put(name, bytes.length, RequestBody.fromBytes(bytes));
  }

  @Override
  public void put(String name, Path file) throws IOException {
    long bytes = file.toFile().length();
    put(name, bytes, RequestBody.fromFile(file));
  }

  private void put(String name, long bytes, RequestBody body) throws IOException {
    call("write", name, () -> client.putObject(put(name, bytes).build(), body));
  }

  @Override
  public byte[] read(String name, long maxBytes) throws IOException {
    try {
      return get(name, null, 0, maxBytes);
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  @Override
  public byte[] readRange(String name, long offset, int length) throws IOException {
    String range = "bytes=" + offset + "-" + (offset + length - 1);
    byte[] bytes = get(name, range, length, length);
    if (bytes.length != length) {
      throw new IOException(
          describe(name)
              + " has "
              + bytes.length
              + " bytes from "
              + offset
              + ", expected "
              + length);
    }
    return bytes;
  }

  /** Bytes of an object: bounded before they are read, and asked for again where they break off. */
  private byte[] get(String name, String range, long expected, long maxBytes) throws IOException {
    GetObjectRequest request =
        GetObjectRequest.builder()
            .bucket(bucket)
            .key(key(name))
            .range(range)
            .overrideConfiguration(o -> o.apiCallAttemptTimeout(timeout(expected)))
            .build();
    for (int attempt = 1; ; attempt++) {
      // The SDK tries again what fails before the body.
      try (ResponseInputStream<GetObjectResponse> in =
          call("read", name, () -> client.getObject(request))) {
        Long length = in.response().contentLength();
        long max = Math.min(maxBytes, Integer.MAX_VALUE - 8);
        if (length != null && length > max) {
          in.abort();
          throw new TooLargeException(
              describe(name) + " has " + length + " bytes, expected at most " + max);
        }
        byte[] bytes = in.readNBytes((int) Math.min(max, length == null ? max : length));
        if (length != null && bytes.length < length) {
          throw new IOException(
              describe(name) + " broke off after " + bytes.length + " of " + length + " bytes");
        }
        return bytes;
      } catch (TooLargeException | NoSuchFileException | RequestFailedException e) {
        throw e;
      } catch (IOException e) {
        if (attempt >= options.attempts()) {
          throw e;
        }
        pause(attempt);
      }
    }
  }

  @Override
  public long length(String name) throws IOException {
    try {
      return call("look for", name, () -> client.headObject(b -> b.bucket(bucket).key(key(name))))
          .contentLength();
    } catch (NoSuchFileException e) {
      return -1;
    }
  }

  @Override
  public List<StoredFile> list(String folder) throws IOException {
    ListObjectsV2Request request =
        ListObjectsV2Request.builder()
            .bucket(bucket)
            .prefix(key(folder + "/"))
            .delimiter("/")
            .build();
    for (int attempt = 1; ; attempt++) {
      try {
        return call("list", folder, () -> list(request));
      } catch (RequestFailedException e) {
        if (!isBrokenOff(e.getCause()) || attempt >= options.attempts()) {
          throw e;
        }
      }
      pause(attempt);
    }
  }

  private List<StoredFile> list(ListObjectsV2Request request) {
    List<StoredFile> files = new ArrayList<>();
    for (S3Object object : client.listObjectsV2Paginator(request).contents()) {
      String name = object.key().substring(prefix.length());
      if (!name.endsWith("/")) {
        files.add(new StoredFile(name, object.size(), object.lastModified().toEpochMilli()));
      }
    }
    files.sort(Comparator.comparing(StoredFile::name));
    return files;
  }

  /** An answer that is no XML to its end: the SDK does not ask again, unlike for other errors. */
  private static boolean isBrokenOff(Throwable e) {
    return e instanceof SdkClientException && !(e.getCause() instanceof IOException);
  }

  @Override
  public boolean delete(String name) throws IOException {
    call("delete", name, () -> client.deleteObject(b -> b.bucket(bucket).key(key(name))));
    return true; // S3 does not say whether there was one
  }

  private <T> T call(String what, String name, Supplier<T> request) throws IOException {
    try {
      return request.get();
    } catch (NoSuchKeyException e) {
      throw missing(name, e);
    } catch (AwsServiceException e) {
      if (e.statusCode() == NOT_FOUND && !isNoBucket(e)) {
        throw missing(name, e);
      }
      throw failed(what, name, e);
    } catch (SdkException e) {
      throw failed(what, name, e);
    }
  }

  private static boolean isNoBucket(AwsServiceException e) {
    return e.awsErrorDetails() != null && "NoSuchBucket".equals(e.awsErrorDetails().errorCode());
  }

  private NoSuchFileException missing(String name, SdkException e) {
    NoSuchFileException missing = new NoSuchFileException(describe(name));
    missing.initCause(e);
    return missing;
  }

  private RequestFailedException failed(String what, String name, SdkException e) {
    return new RequestFailedException(
        "could not " + what + " " + describe(name) + ": " + e.getMessage(), e);
  }

  /** What was tried often enough. */
  private static final class RequestFailedException extends IOException {
    private static final long serialVersionUID = 1L;

    RequestFailedException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** What would be as large again. */
  private static final class TooLargeException extends IOException {
    private static final long serialVersionUID = 1L;

    TooLargeException(String message) {
      super(message);
    }
  }

  @Override
  public String describe(String name) {
    return url + name;
  }

  @Override
  public void close() {
    client.close();
  }
}
