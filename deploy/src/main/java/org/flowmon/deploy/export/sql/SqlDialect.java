package org.flowmon.deploy.export.sql;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.flowmon.deploy.export.row.ExportColumn.Kind;
import org.flowmon.deploy.export.row.ExportRows;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.time.FlowTime;

/** The differences between databases: names, types, and the binding of values. */
public enum SqlDialect {
  POSTGRESQL('"', 63) {
    @Override
    String nativeType(Kind kind) {
      return switch (kind) {
        case TIMESTAMP -> "timestamptz";
        case ADDRESS -> "inet";
        default -> commonType(kind);
      };
    }

    @Override
    String commonType(Kind kind) {
      return switch (kind) {
        case BOOLEAN -> "boolean";
        case UINT8 -> "smallint";
        case UINT16 -> "integer";
        case UINT32, INT64, DURATION -> "bigint";
        case INT128 -> "numeric(39)";
        case DOUBLE -> "double precision";
        case TIMESTAMP, ADDRESS, TEXT -> "text";
      };
    }

    @Override
    String addressNumberType() {
      return "numeric(39)";
    }

    @Override
    void bindTime(PreparedStatement to, int place, Instant time) throws SQLException {
      to.setObject(place, OffsetDateTime.ofInstant(time, ZoneOffset.UTC));
    }

    @Override
    void bindAddress(PreparedStatement to, int place, IpAddress address) throws SQLException {
      to.setObject(place, address.toString(), Types.OTHER);
    }
  },

  /** MySQL and MariaDB. */
  MYSQL('`', 64) {
    @Override
    String nativeType(Kind kind) {
      return switch (kind) {
        case TIMESTAMP -> "DATETIME(6)";
        case ADDRESS -> "VARBINARY(16)";
        default -> commonType(kind);
      };
    }

    @Override
    String commonType(Kind kind) {
      return switch (kind) {
        case BOOLEAN -> "BOOLEAN";
        case UINT8 -> "TINYINT UNSIGNED";
        case UINT16 -> "SMALLINT UNSIGNED";
        case UINT32 -> "INT UNSIGNED";
        case INT64, DURATION -> "BIGINT";
        case INT128 -> "DECIMAL(39,0)";
        case DOUBLE -> "DOUBLE";
        case TIMESTAMP, ADDRESS -> "VARCHAR(45) CHARACTER SET ascii";
        case TEXT -> "VARCHAR(1024) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";
      };
    }

    @Override
    String addressNumberType() {
      return "DECIMAL(39,0)";
    }

    @Override
    void bindTime(PreparedStatement to, int place, Instant time) throws SQLException {
      LocalDateTime utc = LocalDateTime.ofInstant(time, ZoneOffset.UTC);
      if (utc.getYear() < 1000 || utc.getYear() > 9999) {
        throw new SQLException(
            "the time "
                + time
                + " is outside DATETIME's years 1000 … 9999; --types integer holds it");
      }
      to.setString(place, DATETIME.format(utc));
    }
  },

  SQLITE('"', 255) {
    @Override
    String nativeType(Kind kind) {
      return switch (kind) {
        case TIMESTAMP -> "INTEGER";
        case ADDRESS -> "BLOB";
        default -> commonType(kind);
      };
    }

    @Override
    String commonType(Kind kind) {
      return switch (kind) {
        case BOOLEAN, UINT8, UINT16, UINT32, INT64, DURATION -> "INTEGER";
        case DOUBLE -> "REAL";
        case INT128, TIMESTAMP, ADDRESS, TEXT -> "TEXT";
      };
    }

    @Override
    String addressNumberType() {
      return "BLOB"; // any other would turn numbers beyond 64 bits into doubles
    }

    @Override
    void bindTime(PreparedStatement to, int place, Instant time) throws SQLException {
      to.setLong(
          place,
          Math.addExact(
              Math.multiplyExact(time.getEpochSecond(), 1_000_000L), time.getNano() / 1000));
    }

    @Override
    void bindBig(PreparedStatement to, int place, BigInteger value) throws SQLException {
      if (value.bitLength() <= 63) {
        to.setLong(place, value.longValue());
      } else {
        to.setString(place, value.toString());
      }
    }
  };

  private static final DateTimeFormatter SIX_DIGITS =
      new DateTimeFormatterBuilder().appendInstant(6).toFormatter(Locale.ROOT);
  private static final DateTimeFormatter DATETIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS", Locale.ROOT);

  private final char quote;
  private final int longestName;

  SqlDialect(char quote, int longestName) {
    this.quote = quote;
    this.longestName = longestName;
  }

  /** The dialect of a JDBC URL; none for an unknown database. */
  public static Optional<SqlDialect> of(String jdbcUrl) {
    if (jdbcUrl.startsWith("jdbc:postgresql:")) {
      return Optional.of(POSTGRESQL);
    }
    if (jdbcUrl.startsWith("jdbc:mariadb:") || jdbcUrl.startsWith("jdbc:mysql:")) {
      return Optional.of(MYSQL);
    }
    return jdbcUrl.startsWith("jdbc:sqlite:") ? Optional.of(SQLITE) : Optional.empty();
  }

  abstract String nativeType(Kind kind);

  abstract String commonType(Kind kind);

  abstract String addressNumberType();

  abstract void bindTime(PreparedStatement to, int place, Instant time) throws SQLException;

  /** Binds an address as the native type, or as 4 or 16 bytes if there is none. */
  void bindAddress(PreparedStatement to, int place, IpAddress address) throws SQLException {
    byte[] bytes = address.toBytes();
    to.setBytes(place, address.isIpv4() ? Arrays.copyOfRange(bytes, 12, 16) : bytes);
  }

  void bindBig(PreparedStatement to, int place, BigInteger value) throws SQLException {
    to.setBigDecimal(place, new BigDecimal(value));
  }

  String shortened(String name, int room) {
    int most = longestName - room;
    if (name.length() <= most) {
      return name;
    }
    return name.substring(0, Character.isHighSurrogate(name.charAt(most - 1)) ? most - 1 : most);
  }

  /** Throws {@link IllegalArgumentException} if the database does not allow the name. */
  String quoted(String name) {
    if (name.isEmpty() || name.length() > longestName || name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "'" + name + "' is no name: expected 1 … " + longestName + " characters");
    }
    return quote + name.replace(String.valueOf(quote), String.valueOf(quote) + quote) + quote;
  }

  String type(Kind kind, SqlTypes types) {
    if (types == SqlTypes.INTEGER) {
      return switch (kind) {
        case TIMESTAMP -> commonType(Kind.INT64);
        case ADDRESS -> addressNumberType();
        case BOOLEAN -> commonType(Kind.UINT8);
        default -> commonType(kind);
      };
    }
    return types == SqlTypes.NATIVE ? nativeType(kind) : commonType(kind);
  }

  void bind(PreparedStatement to, int place, ExportRows block, int row, int column, SqlTypes types)
      throws SQLException {
    Kind kind = block.columns().get(column).kind();
    switch (kind) {
      case BOOLEAN -> {
        if (types == SqlTypes.INTEGER) {
          to.setLong(place, block.low(row, column));
        } else {
          to.setBoolean(place, block.low(row, column) != 0);
        }
      }
      case INT128 -> bindBig(to, place, block.big(row, column));
      case DOUBLE -> to.setDouble(place, Double.longBitsToDouble(block.low(row, column)));
      case TIMESTAMP -> time(to, place, block.low(row, column), types);
      case ADDRESS ->
          address(to, place, new IpAddress(block.high(row, column), block.low(row, column)), types);
      case TEXT -> to.setString(place, block.text(row, column));
      default -> to.setLong(place, block.low(row, column));
    }
  }

  private void time(PreparedStatement to, int place, long micros, SqlTypes types)
      throws SQLException {
    if (types == SqlTypes.INTEGER) {
      to.setLong(place, micros);
      return;
    }
    Instant time = FlowTime.instant(micros);
    if (types == SqlTypes.TEXT) {
      to.setString(place, SIX_DIGITS.format(time));
    } else {
      bindTime(to, place, time);
    }
  }

  private void address(PreparedStatement to, int place, IpAddress address, SqlTypes types)
      throws SQLException {
    switch (types) {
      case NATIVE -> bindAddress(to, place, address);
      case TEXT -> to.setString(place, address.toString());
      case INTEGER -> {
        if (!address.isIpv4() && address.hi() == 0 && address.lo() >>> 32 == 0) {
          throw new SQLException(
              "the address "
                  + address
                  + " as a number is that of an IPv4 address; --types native"
                  + " or text tells them apart");
        }
        bindBig(
            to,
            place,
            address.isIpv4()
                ? BigInteger.valueOf(address.lo() & 0xFFFF_FFFFL)
                : new BigInteger(1, address.toBytes()));
      }
    }
  }
}
