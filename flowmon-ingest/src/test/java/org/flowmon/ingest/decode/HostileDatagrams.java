package org.flowmon.ingest.decode;

import java.io.ByteArrayOutputStream;

/** IPFIX datagrams of the largest UDP size that cost a decoder as much as possible. */
enum HostileDatagrams {
  /** Each template in its own set, each known under another definition before. */
  TEMPLATE_SETS {
    @Override
    byte[] sets(int round) {
      ExportBytes sets = new ExportBytes();
      for (int id = 256; sets.size() + 12 <= ROOM; id++) {
        sets.set(2, ExportBytes.template(id, 1 + round % 2, 4));
      }
      return sets.toBytes();
    }
  },
  /** All templates of the other kind are withdrawn, as often as fits. */
  WITHDRAWALS {
    @Override
    byte[] prelude() {
      ExportBytes options = new ExportBytes();
      for (int id = 256; id < 256 + 1023; id++) {
        options.u16(id).u16(1).u16(0).u16(34).u16(4);
      }
      return new ExportBytes().set(3, options.toBytes()).toBytes();
    }

    @Override
    byte[] sets(int round) {
      ExportBytes sets = new ExportBytes();
      byte[] one = new ExportBytes().bytes(ExportBytes.template(9999, 1, 4)).u32(2 << 16).toBytes();
      while (sets.size() + 4 + one.length <= ROOM) {
        sets.set(2, one);
      }
      return sets.toBytes();
    }
  },
  /** Records of one byte that each give a sampling rate. */
  OPTIONS_OF_A_BYTE {
    @Override
    byte[] prelude() {
      return options(34, 1);
    }

    @Override
    byte[] sets(int round) {
      return data(300, 1);
    }
  },
  /** Records that each name another sampler. */
  SAMPLERS {
    @Override
    byte[] prelude() {
      return options(302, 3, 34, 1);
    }

    @Override
    byte[] sets(int round) {
      ExportBytes body = new ExportBytes();
      for (int i = 0; body.size() + 8 <= ROOM; i++) {
        body.number(0x10000L + (long) round * 20_000 + i, 3).u8(1);
      }
      return new ExportBytes().set(300, body.toBytes()).toBytes();
    }
  },
  /** One byte a flow. */
  FLOWS_OF_A_BYTE {
    @Override
    byte[] prelude() {
      return new ExportBytes().set(2, ExportBytes.template(300, 4, 1)).toBytes();
    }

    @Override
    byte[] sets(int round) {
      return data(300, 1);
    }
  },
  /** One byte a flow, in a field of variable length, among a thousand fields without length. */
  FIELDS_OF_NO_LENGTH {
    @Override
    byte[] prelude() {
      int[] fields = new int[2 * 1024];
      for (int i = 0; i < 1024; i++) {
        fields[2 * i] = 300;
      }
      fields[2 * 1024 - 1] = 0xFFFF;
      return new ExportBytes().set(2, ExportBytes.template(300, fields)).toBytes();
    }

    @Override
    byte[] sets(int round) {
      return data(300, 0);
    }
  },
  /** Only sets without a template. */
  EMPTY_SETS {
    @Override
    byte[] sets(int round) {
      ExportBytes sets = new ExportBytes();
      for (int id = 256; sets.size() + 4 <= ROOM; id++) {
        sets.set(id, new byte[0]);
      }
      return sets.toBytes();
    }
  },
  /** A set for each flow. */
  SETS_OF_A_FLOW {
    @Override
    byte[] prelude() {
      return new ExportBytes().set(2, ExportBytes.template(300, 4, 1)).toBytes();
    }

    @Override
    byte[] sets(int round) {
      ExportBytes sets = new ExportBytes();
      while (sets.size() + 5 <= ROOM) {
        sets.set(300, new byte[] {6});
      }
      return sets.toBytes();
    }
  };

  /** Bytes of the largest UDP payload over IPv4. */
  static final int BYTES = 65_507;

  private static final int ROOM = BYTES - 16;

  /** The sets of the expensive datagram. */
  abstract byte[] sets(int round);

  /** The sets of the datagram that prepares it. */
  byte[] prelude() {
    return new byte[0];
  }

  byte[] preludeDatagram(long domain) {
    return ExportBytes.ipfix(1_750_000_000L, 0, domain, prelude());
  }

  byte[] datagram(long domain, int round) {
    return ExportBytes.ipfix(1_750_000_000L, 0, domain, sets(round));
  }

  private static byte[] options(int... elementsAndLengths) {
    ExportBytes body = new ExportBytes().u16(300).u16(elementsAndLengths.length / 2).u16(0);
    for (int value : elementsAndLengths) {
      body.u16(value);
    }
    return new ExportBytes().set(3, body.toBytes()).toBytes();
  }

  private static byte[] data(int id, int value) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (int i = 0; i < ROOM - 4; i++) {
      body.write(value);
    }
    return new ExportBytes().set(id, body.toByteArray()).toBytes();
  }
}
