package org.flowmon.jobs.store;

import java.io.IOException;
import java.net.URI;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.flowmon.archive.store.ObjectStore;
import org.flowmon.archive.store.StoredFile;
import org.flowmon.flow.memory.HeapBudget;
import org.jspecify.annotations.Nullable;
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
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * Objects below a prefix of an S3 bucket, or a service of that protocol. The first put of a name
 * wins by {@code If-None-Match: *} (<a
 * href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html">conditional
 * writes</a>): 412, there is one; 409, another is being written: retried.
 *
 * <p>The SDK retries transient failures (5xx, throttling, timeouts) a bounded number of times with
 * growing pauses. Answers are bounded in time and bytes and checked before use: a broken or hostile
 * server causes errors, no wrong answer.
 */
final class S3ObjectStore implements ObjectStore {
  private static final int CONFLICT = 409;
  private static final int EXISTS = 412;
  private static final int NOT_FOUND = 404;
  private static final long CONFLICT_PAUSE_MILLIS = 50;
  // Bounds of listings: no folder has more files, and no page fewer than one.
  private static final int MOST_FILES = 2_000_000;
  private static final int MOST_PAGES = 100_000;

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
      // A missing region, for example. The SDK's messages hold no secrets.
      throw new IOException(url + ": " + e.getMessage(), e);
    }
  }

  private static S3Client client(S3Options options) throws IOException {
    S3ClientBuilder builder =
        S3Client.builder()
            .httpClientBuilder(
                new BoundedHttpClient.Builder(
                    UrlConnectionHttpClient.builder()
                        .connectionTimeout(Duration.ofSeconds(5))
                        .socketTimeout(options.timeout()),
                    options.timeout()))
            // Others than AWS may not know newer checksums; each file of an archive has its own.
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
            .serviceConfiguration(S3Configuration.builder().chunkedEncodingEnabled(false).build())
            .forcePathStyle(options.pathStyle())
            .overrideConfiguration(
                o ->
                    o.apiCallAttemptTimeout(options.timeout())
                        .retryStrategy(
                            StandardRetryStrategy.builder()
                                .maxAttempts(options.attempts())
                                .build()))
            .credentialsProvider(credentials(options));
    if (options.endpoint() != null) {
      builder.endpointOverride(options.endpoint());
    }
    if (options.region() != null) {
      builder.region(Region.of(options.region()));
    } else if (options.endpoint() != null) {
      // Services other than AWS have no region, but a signature names one.
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
        write(name, request, RequestBody.fromBytes(bytes));
        return true;
      } catch (RequestFailedException e) {
        int status = e.getCause() instanceof AwsServiceException answer ? answer.statusCode() : 0;
        if (status == EXISTS) {
          return false;
        }
        if (status != CONFLICT || attempt >= options.attempts()) {
          throw e;
        }
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
    write(name, put(name, bytes).build(), body);
  }

  private void write(String name, PutObjectRequest request, RequestBody body) throws IOException {
    try {
      call("write", name, () -> client.putObject(request, body));
    } catch (NoSuchFileException e) { // no file is missing that is to be written
      throw new RequestFailedException(
          "could not write " + describe(name) + ": the server answers 404, not found", e);
    }
  }

  @Override
  public byte @Nullable [] read(String name, long maxBytes) throws IOException {
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
          "%s has %s bytes from %s, expected %s"
              .formatted(describe(name), bytes.length, offset, length));
    }
    return bytes;
  }

  /** Bounded before they are read, and requested again if they break off. */
  private byte[] get(String name, @Nullable String range, long expected, long maxBytes)
      throws IOException {
    GetObjectRequest request =
        GetObjectRequest.builder()
            .bucket(bucket)
            .key(key(name))
            .range(range)
            .overrideConfiguration(o -> o.apiCallAttemptTimeout(timeout(expected)))
            .build();
    for (int attempt = 1; ; attempt++) {
      // The SDK only retries failures before the body.
      try (ResponseInputStream<GetObjectResponse> in =
          call("read", name, () -> client.getObject(request))) {
        byte[] bytes;
        try {
          bytes = body(name, in, range, maxBytes);
        } catch (IOException | RuntimeException e) {
          in.abort(); // closing alone would read the rest
          throw e;
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

  private byte[] body(
      String name, ResponseInputStream<GetObjectResponse> in, @Nullable String range, long maxBytes)
      throws IOException {
    Long length = in.response().contentLength();
    if (length == null || length < 0) {
      throw new TooLargeException(describe(name) + ": the server does not say how long it is");
    }
    long most = HeapBudget.Part.STORED_OBJECT.bytes();
    long max = Math.min(Math.min(maxBytes, Integer.MAX_VALUE - 8), most);
    if (length > max) {
      throw new TooLargeException(
          describe(name) + " has " + length + " bytes, expected at most " + max);
    }
    String found = in.response().contentRange();
    if (range != null && found != null && !found.startsWith(range.replace('=', ' ') + "/")) {
      throw new TooLargeException(
          describe(name) + ": the server gave '" + found + "' instead of " + range);
    }
    byte[] bytes;
    try {
      bytes = in.readNBytes(length.intValue());
    } catch (IOException e) {
      throw new IOException(describe(name) + ": " + e.getMessage(), e);
    }
    if (bytes.length < length) {
      throw new IOException(
          describe(name) + " broke off after " + bytes.length + " of " + length + " bytes");
    }
    return bytes;
  }

  @Override
  public long length(String name) throws IOException {
    try {
      Long length =
          call("look for", name, () -> client.headObject(b -> b.bucket(bucket).key(key(name))))
              .contentLength();
      if (length == null || length < 0) {
        throw new IOException(describe(name) + ": the server does not say how long it is");
      }
      return length;
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
        return list(folder, request);
      } catch (RequestFailedException e) {
        if (!isBrokenOff(e.getCause()) || attempt >= options.attempts()) {
          throw e;
        }
      }
      pause(attempt);
    }
  }

  private List<StoredFile> list(String folder, ListObjectsV2Request first) throws IOException {
    List<StoredFile> files = new ArrayList<>();
    Set<String> names = new HashSet<>();
    Set<String> tokens = new HashSet<>();
    ListObjectsV2Request request = first;
    while (true) {
      ListObjectsV2Request page = request;
      ListObjectsV2Response answer = call("list", folder, () -> client.listObjectsV2(page));
      if (answer.isTruncated() == null) { // as for XML that is no listing
        throw notAListing(folder, "it does not say whether it is whole");
      }
      for (S3Object object : answer.contents()) {
        if (!key(folder + "/").equals(object.key())) { // a folder made by hand
          StoredFile file = file(folder, object);
          if (!names.add(file.name()) || names.size() > MOST_FILES) {
            throw notAListing(folder, "file " + names.size() + " is " + file.name());
          }
          files.add(file);
        }
      }
      if (!answer.isTruncated()) {
        files.sort(Comparator.comparing(StoredFile::name));
        return files;
      }
      String token = answer.nextContinuationToken();
      if (token == null || !tokens.add(token) || tokens.size() > MOST_PAGES) {
        throw notAListing(folder, "it goes on without end, page " + tokens.size());
      }
      request = first.toBuilder().continuationToken(token).build();
    }
  }

  /** Only within the folder, as listed names are deleted here, too. */
  private StoredFile file(String folder, S3Object object) throws IOException {
    String within = key(folder + "/");
    String key = String.valueOf(object.key());
    String name = key.startsWith(within) ? key.substring(within.length()) : "";
    boolean fits =
        !name.isEmpty()
            && name.chars().noneMatch(c -> c == '/' || c == '\\' || c < ' ')
            && !name.equals(".")
            && !name.equals("..")
            && object.size() != null
            && object.size() >= 0
            && object.lastModified() != null;
    if (!fits) {
      throw notAListing(
          folder, "'" + key + "', size " + object.size() + ", time " + object.lastModified());
    }
    return new StoredFile(folder + "/" + name, object.size(), object.lastModified().toEpochMilli());
  }

  private IOException notAListing(String folder, String what) {
    return new IOException(
        describe(folder + "/") + ": the server's list is none of this folder: " + what);
  }

  /** Whether an answer's XML broke off, which the SDK does not retry. */
  private static boolean isBrokenOff(@Nullable Throwable e) {
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
    } catch (RuntimeException | StackOverflowError e) {
      // Unexpected answers make the SDK throw exceptions of many kinds.
      throw new RequestFailedException(
          "could not " + what + " " + describe(name) + ": the answer is not understood: " + e, e);
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

  /** All retries have failed. */
  private static final class RequestFailedException extends IOException {
    private static final long serialVersionUID = 1L;

    RequestFailedException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** A retry would be as large again. */
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
