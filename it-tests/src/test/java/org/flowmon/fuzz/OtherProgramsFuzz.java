package org.flowmon.fuzz;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.DeflaterOutputStream;

/** Text and files of other programs: JSON, CSV, Azure's documents, flow-tools, protobuf. */
final class OtherProgramsFuzz implements FuzzTarget {
  private static final List<String> TEXTS =
      List.of(
          "{\"timestamp\":\"2024-03-01T10:00:05.1+0000\",\"flow_id\":12,\"event_type\":\"flow\",\"vlan\":[10,20],\"src_ip\":\"192.168.1.5\",\"src_port\":52000,\"dest_ip\":\"203.0.113.34\",\"dest_port\":443,\"proto\":\"TCP\",\"flow\":{\"pkts_toserver\":5,\"start\":\"2024-03-01T09:59:59.000000+0000\",\"reason\":\"timeout\"},\"tcp\":{\"tcp_flags_ts\":\"1a\"}}\n",
          "{\"type\":\"SFLOW_5\",\"time_received_ns\":1681583295157626000,\"sampler_address\":\"192.168.0.1\",\"time_flow_start_ns\":1681583295157626000,\"bytes\":1500,\"src_addr\":\"192.168.0.1\",\"dst_addr\":\"::1\",\"proto\":\"TCP\",\"tcp_flags\":16}\n",
          "{\"event_type\": \"purge\", \"vlan\": 118, \"ip_src\": \"10.118.10.1\", \"ip_dst\":"
              + " \"10.118.10.2\", \"ip_proto\": \"icmp\", \"timestamp_start\": \"2010-06-29"
              + " 19:41:35.135052\", \"timestamp_end\": \"0000-00-00 00:00:00.000000\","
              + " \"packets\": 1, \"bytes\": 100}\n",
          "{\"jsonPayload\":{\"bytes_sent\":\"5342\",\"connection\":{\"dest_ip\":\"10.128.0.3\",\"dest_port\":22.0,\"protocol\":6.0,\"src_ip\":\"203.0.113.5\"},\"end_time\":\"2019-06-26T04:21:13.454521512Z\"}}\n",
          "[{\"first\":\"2015-01-03T13:05:00.561\",\n"
              + "\"last\":\"2015-01-03T13:05:00.561\",\"in_packets\":1,\"proto\":1,\"icmp_type\":8,\"src4_addr\":\"10.0.0.1\"},\n"
              + "{\"first\":\"2015-01-03T13:05:00.561\"}]\n",
          "{\"records\":[{\"flowRecords\":{\"flows\":[{\"flowGroups\":[{\"flowTuples\":[\"1663146003599,10.0.0.6,192.0.2.180,23956,443,6,O,B,NX,0,0,0,0\"]}]}]}},{\"properties\":{\"flows\":[{\"flows\":[{\"flowTuples\":[\"1487282421,42.119.146.95,10.1.0.4,51529,5358,T,I,D\"]}]}]}}]}\n",
          "2 123 eni-1 172.31.16.139 172.31.16.21 20641 22 6 20 4249 1418530010 1418530070 ACCEPT"
              + " OK\n"
              + "2 123 eni-1 - - - - - - - 1431280876 1431280934 - NODATA\n",
          "version srcaddr dstaddr start end tcp-flags log-status\n"
              + "5 10.0.0.1 2001:db8::2 1566848875 1566848933 2 OK\n",
          "ts,te,td,sa,da,sp,dp,pr,flg,ipkt,ibyt\n"
              + "2015-01-03 13:04:44,2015-01-03"
              + " 13:05:27,43.002,fe80::1,ff02::c,0,8.0,ICMP,...AP.SF,14,2716\n"
              + "Summary\n",
          "StartTime,Dur,Proto,SrcAddr,Sport,DstAddr,Dport\n"
              + "1277840495.140128,0.000695, icmp ,10.118.10.1,0x0008,10.118.10.2,0x0300\n",
          "#:unix_secs,unix_nsecs,sysuptime,first,last,srcaddr,dstaddr\n"
              + "1086895200,500000000,100000,90000,95000,10.0.0.1,10.0.0.2\n");

  @Override
  public String name() {
    return "other-programs";
  }

  @Override
  public String about() {
    return "Suricata, nfdump, GoFlow2, pmacct, Argus, cloud flow logs, flow-tools, protobuf";
  }

  @Override
  public List<byte[]> seeds() throws IOException {
    List<byte[]> seeds = new ArrayList<>();
    for (String text : TEXTS) {
      seeds.add(text.getBytes(StandardCharsets.UTF_8));
    }
    seeds.add(flowTools(ByteOrder.BIG_ENDIAN, false));
    seeds.add(flowTools(ByteOrder.LITTLE_ENDIAN, true));
    seeds.add(message());
    return seeds;
  }

  /** A header of stream version 3 with its export version and flags, then two records. */
  private static byte[] flowTools(ByteOrder order, boolean isCompressed) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(22).order(order);
    header.put((byte) 0xCF).put((byte) 0x10);
    header.put((byte) (order == ByteOrder.LITTLE_ENDIAN ? 1 : 2)).put((byte) 3).putInt(22);
    header.putShort((short) 2).putShort((short) 2).putShort((short) 5);
    header.putShort((short) 8).putShort((short) 4).putInt(isCompressed ? 2 : 0);
    ByteBuffer records = ByteBuffer.allocate(128).order(order);
    records.putInt(1_700_000_000).putInt(5).putInt(100_000).putInt(0x0A000001).putInt(0x0A000002);
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    file.writeBytes(header.array());
    if (isCompressed) {
      try (DeflaterOutputStream out = new DeflaterOutputStream(file)) {
        out.write(records.array());
      }
    } else {
      file.writeBytes(records.array());
    }
    return file.toByteArray();
  }

  /** Type, end, addresses, bytes, protocol and a field that GoFlow2 does not have. */
  private static byte[] message() {
    byte[] fields = {
      8,
      3,
      (byte) 0x80,
      7,
      (byte) 0x80,
      (byte) 0xA0,
      (byte) 0xDA,
      (byte) 0x8E,
      (byte) 0xE4,
      (byte) 0xF9,
      (byte) 0xF3,
      (byte) 0xCB,
      23,
      50,
      4,
      10,
      0,
      0,
      1,
      58,
      4,
      10,
      0,
      0,
      2,
      72,
      9,
      (byte) 0xA0,
      1,
      6,
      (byte) 0xBA,
      62,
      1,
      0
    };
    byte[] message = new byte[fields.length + 1];
    message[0] = (byte) fields.length;
    System.arraycopy(fields, 0, message, 1, fields.length);
    return message;
  }

  @Override
  public long allocationLimit(byte[] input) {
    return FileReading.allocationLimit(input);
  }

  @Override
  public void run(byte[] input) throws IOException {
    if (!isNfcapd(input)) {
      FileReading.read(input);
    }
  }

  /** Another program reads these. */
  private static boolean isNfcapd(byte[] input) {
    return input.length > 1
        && ((input[0] == 0x0C && input[1] == (byte) 0xA5)
            || (input[0] == (byte) 0xA5 && input[1] == 0x0C));
  }
}
