package org.flowmon.ingest.file;

import java.util.Map;

/**
 * What programs write, by their published documentation: pmacct's, Argus's and nfdump's lines are
 * of the programs themselves, the others of their vendors' examples, with values that differ.
 */
public final class SampleTexts {
  private SampleTexts() {}

  public static final String SURICATA =
      """
      {"timestamp":"2024-03-01T10:00:00.000001+0000","event_type":"stats","stats":{"uptime":8}}
      {"timestamp":"2024-03-01T10:00:05.1+0000","flow_id":1234567890123456,"in_iface":"eth0",\
      "event_type":"flow","vlan":[10,20],"src_ip":"192.168.1.5","src_port":52000,\
      "dest_ip":"203.0.113.34","dest_port":443,"proto":"TCP","app_proto":"tls",\
      "flow":{"pkts_toserver":5,"pkts_toclient":4,"bytes_toserver":500,"bytes_toclient":4000,\
      "start":"2024-03-01T09:59:59.000000+0000","end":"2024-03-01T10:00:04.500000+0000","age":5,\
      "state":"closed","reason":"timeout","alerted":false},"community_id":"1:abc",\
      "tcp":{"tcp_flags":"1b","tcp_flags_ts":"1a","tcp_flags_tc":"1b","syn":true,"state":"closed"}}
      {"timestamp":"2024-03-01T10:00:05.123456+0000","flow_id":22,"event_type":"dns",\
      "src_ip":"10.0.0.1","dest_ip":"10.0.0.2","dns":{"type":"query"}}
      {"timestamp":"2024-03-01T10:00:06.000000+0100","flow_id":23,"event_type":"netflow",\
      "src_ip":"fe80::1","src_port":0,"dest_ip":"ff02::16","dest_port":0,"proto":"IPv6-ICMP",\
      "icmp_type":143,"icmp_code":0,"netflow":{"pkts":1,"bytes":90,\
      "start":"2024-03-01T09:00:00.000000+0100","end":"2024-03-01T09:00:00.000000+0100","age":0,\
      "min_ttl":1,"max_ttl":1},"new_field":1}
      """;

  public static final String AWS_DEFAULT =
      """
      2 123456789010 eni-1235b8ca 172.31.16.139 172.31.16.21 20641 22 6 20 4249 1418530010 \
      1418530070 ACCEPT OK
      2 123456789010 eni-1235b8ca - - - - - - - 1431280876 1431280934 - NODATA
      2 123456789010 eni-11111111 - - - - - - - 1431280876 1431280934 - SKIPDATA
      2 123456789010 eni-1235b8ca 2001:db8:1234:a100::f105 2001:db8:1234:a102::4071 34892 22 6 54 \
      8855 1418530100 1418530112 REJECT OK
      """;

  public static final String AWS_FIELDS =
      """
      version vpc-id interface-id type srcaddr dstaddr srcport dstport pkt-srcaddr protocol bytes \
      packets start end action tcp-flags log-status flow-direction traffic-path
      5 vpc-abc eni-01 IPv4 52.213.180.42 10.0.0.62 43416 5001 52.213.180.42 6 568 8 1566848875 \
      1566848933 ACCEPT 2 OK ingress -
      """;

  public static final String AWS_JSON =
      """
      {"version":2,"account_id":"123","interface_id":"eni-1","srcaddr":"10.0.0.1",\
      "dstaddr":"10.0.0.2","srcport":1,"dstport":2,"protocol":17,"packets":3,"bytes":400,\
      "start":1566848875,"end":1566848933,"action":"ACCEPT","log_status":"OK"}
      {"version":2,"account-id":"123","interface-id":"eni-1","srcaddr":"-","dstaddr":"-",\
      "start":1566848875,"end":1566848933,"log-status":"NODATA"}
      """;

  public static final String GCP =
      """
      {"insertId":"1xyz","jsonPayload":{"bytes_sent":"5342","connection":{"dest_ip":"10.128.0.3",\
      "dest_port":22.0,"protocol":6.0,"src_ip":"203.0.113.5","src_port":51234.0},\
      "end_time":"2019-06-26T04:21:13.454521512Z","packets_sent":"23","reporter":"DEST",\
      "start_time":"2019-06-26T04:20:13.454521012Z","dest_vpc":{"vpc_name":"default"}},\
      "logName":"projects/p/logs/compute.googleapis.com%2Fvpc_flows"}
      {"insertId":"2","jsonPayload":{"message":"started"},"logName":"projects/p/logs/other"}
      """;

  public static final String GOFLOW2 =
      """
      {"type":"SFLOW_5","time_received_ns":1681583295157626000,"sequence_num":2999,\
      "sampling_rate":100,"sampler_address":"192.168.0.1",\
      "time_flow_start_ns":1681583295157626000,"time_flow_end_ns":1681583295157626500,\
      "bytes":1500,"packets":1,"src_addr":"192.168.0.1","dst_addr":"192.168.0.2","etype":"IPv4",\
      "proto":"TCP","src_port":443,"dst_port":50001,"in_if":3,"out_if":0,\
      "src_mac":"00:00:00:00:00:00","vlan_id":0,"src_vlan":7,"ip_tos":0,"tcp_flags":16,\
      "icmp_type":0,"icmp_code":0,"src_as":65000,"dst_as":0,"next_hop":"","src_net":24,\
      "dst_net":0,"bgp_communities":[1,2],"mpls_label":[]}
      """;

  public static final String GOFLOW1 =
      """
      {"Type":3,"TimeReceived":1600000010,"SequenceNum":7,"SamplingRate":0,\
      "SamplerAddress":"10.1.1.1","TimeFlowStart":1600000000,"TimeFlowEnd":1600000005,"Bytes":90,\
      "Packets":1,"SrcAddr":"2001:db8::1","DstAddr":"2001:db8::2","Proto":58,"SrcPort":0,\
      "DstPort":0,"InIf":1,"OutIf":2,"IcmpType":135,"IcmpCode":1,"TCPFlags":0,"SrcAS":0,"DstAS":0}
      """;

  /** By pmacctd 1.7.7. */
  public static final String PMACCT =
      """
      {"event_type": "purge", "mac_src": "00:13:c3:df:ae:18", "mac_dst": "00:1b:d4:1b:a4:d8", \
      "vlan": 118, "etype": "800", "ip_src": "10.118.10.1", "ip_dst": "10.118.10.2", \
      "port_src": 0, "port_dst": 0, "tcp_flags": "0", "ip_proto": "icmp", "tos": 0, \
      "timestamp_start": "2010-06-29 19:41:35.135052", \
      "timestamp_end": "0000-00-00 00:00:00.000000", "packets": 1, "bytes": 100}
      {"event_type": "purge", "ip_src": "10.0.0.1", "ip_dst": "10.0.0.2", "port_src": 4000, \
      "port_dst": 53, "ip_proto": "udp", "as_src": 65001, "as_dst": 0, "iface_in": 3, \
      "peer_ip_src": "192.0.2.1", "peer_ip_dst": "", "mask_src": 24, \
      "stamp_inserted": "2010-06-29 19:41:00", "stamp_updated": "2010-06-29 19:42:00", \
      "sampling_rate": 1000, "packets": 2, "flows": 1, "bytes": 120}
      {"event_type": "log_init", "seq": 1}
      """;

  /** By ra 3.0.8.2, which calls ICMP's type and identifier ports. */
  public static final String ARGUS =
      """
      StartTime,LastTime,Dur,Proto,SrcAddr,Sport,DstAddr,Dport,SrcPkts,DstPkts,SrcBytes,DstBytes,\
      State,Flgs,sTos,dTos,sAS,dAS,sVlan,SrcMac,DstMac,sTtl,dTtl,Dir,SrcId,Seq,TcpOpt,TcpRtt,sMpls
      1277840495.140128,1277840495.140823,0.000695,icmp,10.118.10.1,0x0008,10.118.10.2,0x0300,1,1,\
      122,122,ECO, *        ,0,0,,,0x000a,,,255,255,  <->,0.0.0.0,4,,0.000000,
      1420290298.017023,1420290299.516173,1.499150,tcp,10.0.0.1,55202,212.199.202.69,80,46,86,7374,\
      109138,FIN, e        ,0,0,,,,,,128,58,   ->,0.0.0.0,46,Mws,0.014172,
      1277840510.969363,1277840510.969363,0.000000,llc,00:13:c3:df:ae:18,170,01:00:0c:cd:cd:d0,170,\
      1,0,375,0,INT, *        ,,,,,0xa076,,,,,   ->,0.0.0.0,11,,0.000000,
      """;

  /** By nfdump 1.7.1. */
  public static final String NFDUMP =
      """
      ts,te,td,sa,da,sp,dp,pr,flg,fwd,stos,ipkt,ibyt,opkt,obyt,in,out,sas,das,smk,dmk,dtos,dir,nh,\
      nhb,svln,dvln,ismc,odmc,idmc,osmc,mpls1,mpls2,mpls3,mpls4,mpls5,mpls6,mpls7,mpls8,mpls9,\
      mpls10,cl,sl,al,ra,eng,exid,tr
      2015-01-03 13:04:44,2015-01-03 13:05:27,43.002,fe80::4dc7:f593:1f7b:dc11,ff02::c,59537,1900,\
      UDP,........,0,0,14,2716,0,0,0,0,0,0,0,0,0,0,0.0.0.0,0.0.0.0,0,0,00:00:00:00:00:00,\
      00:00:00:00:00:00,00:00:00:00:00:00,00:00:00:00:00:00,0-0-0,0-0-0,0-0-0,0-0-0,0-0-0,0-0-0,\
      0-0-0,0-0-0,0-0-0,0-0-0,    0.000,    0.000,    0.000,0.0.0.0,17/1,0,2026-11-25 21:55:48.936
      2015-01-03 13:05:00,2015-01-03 13:05:00,0.000,10.0.0.1,8.8.8.8,0,2048,ICMP,...AP.SF,0,4,1,60,\
      7,800,3,4,65001,65002,24,16,0,1,10.0.0.9,0.0.0.0,12,0,00:00:00:00:00:00,00:00:00:00:00:00,\
      00:00:00:00:00:00,00:00:00:00:00:00,0-0-0,0-0-0,0-0-0,0-0-0,0-0-0,0-0-0,0-0-0,0-0-0,0-0-0,\
      0-0-0,    0.000,    0.000,    0.000,192.0.2.7,17/1,0,2026-11-25 21:55:48.936
      Summary
      flows,bytes,packets,avg_bps,avg_pps,avg_bpp
      2,2776,15,464561,95,605
      """;

  /** Of nfdump 1.7.4 and later. */
  public static final String NFDUMP_LATER =
      """
      firstSeen,lastSeen,duration,proto,srcAddr,srcPort,dstAddr,dstPort,flags,srcTos,packets,bytes,\
      srcAS,input,flows
      2024-01-03 13:05:00.125,2024-01-03 13:05:01.250,1.125,TCP,10.0.0.1,1234,10.0.0.2,443,\
      ...AP.SF,0,5,700,65001,3,1
      """;

  public static final String NFDUMP_FAST =
      """
      cnt,af,firstSeen,lastSeen,proto,srcAddr,srcPort,dstAddr,dstPort,srcAS,dstAS,input,output,\
      flags,srcTos,packets,bytes
      1,2,1704287100125,1704287101250,1,10.0.0.1,0,10.0.0.2,3.1,0,0,3,4,........,0,1,56
      """;

  /** By nfdump 1.7.1, -o json. */
  public static final String NFDUMP_JSON =
      """
      [
      {
      \t"type" : "FLOW",
      \t"sampled" : 0,
      \t"export_sysid" : 0,
      \t"first" : "2015-01-03T13:05:00.561",
      \t"last" : "2015-01-03T13:05:00.561",
      \t"received" : "2026-11-25T21:55:48.936",
      \t"in_packets" : 1,
      \t"in_bytes" : 60,
      \t"proto" : 1,
      \t"icmp_type" : 8,
      \t"icmp_code" : 0,
      \t"src_tos" : 0,
      \t"src4_addr" : "10.0.0.1",
      \t"dst4_addr" : "8.8.8.8",
      \t"label" : "<none>"
      },
      {
      \t"type" : "FLOW",
      \t"first" : "2015-01-03T13:05:01.000",
      \t"last" : "2015-01-03T13:05:02.000",
      \t"in_packets" : 2,
      \t"in_bytes" : 120,
      \t"proto" : 6,
      \t"tcp_flags" : "...AP.S.",
      \t"src_port" : 53,
      \t"dst_port" : 62540,
      \t"src6_addr" : "2001:db8::1",
      \t"dst6_addr" : "2001:db8::2"
      }]
      """;

  public static final String FLOW_EXPORT =
      """
      #:unix_secs,unix_nsecs,sysuptime,exaddr,dpkts,doctets,first,last,engine_type,engine_id,\
      srcaddr,dstaddr,nexthop,input,output,srcport,dstport,prot,tos,tcp_flags,src_mask,dst_mask,\
      src_as,dst_as
      1086895200,500000000,100000,10.0.0.254,5,300,90000,95000,0,1,10.0.0.1,10.0.0.2,0.0.0.0,1,2,\
      1024,80,6,0,27,24,24,0,65001
      """;

  public static final String AZURE =
      """
      {"records":[
        {"time":"2022-09-14T09:00:52Z","flowLogVersion":4,"flowRecords":{"flows":[{"aclID":"x",\
      "flowGroups":[{"rule":"r","flowTuples":[\
      "1663146003599,10.0.0.6,192.0.2.180,23956,443,6,O,B,NX,0,0,0,0",\
      "1663146003606,10.0.0.6,192.0.2.180,23956,443,6,O,E,NX,3,767,2,1580"]}]}]}},
        {"time":"2017-02-16T22:00:32Z","properties":{"Version":1,"flows":[{"rule":"r","flows":[\
      {"mac":"000D3AF8801A","flowTuples":["1487282421,42.119.146.95,10.1.0.4,51529,5358,T,I,D"]}]}]}},
        {"time":"2018-11-13T12:00:35Z","properties":{"Version":2,"flows":[{"rule":"r","flows":[\
      {"mac":"000D3AF87856","flowTuples":[\
      "1542110437,125.5.61.130,10.5.16.4,59336,80,U,I,A,E,1,66,2,132"]}]}]}}
      ]}
      """;

  /** By the source's name, in any order. */
  public static Map<String, String> all() {
    return Map.ofEntries(
        Map.entry("suricata", SURICATA),
        Map.entry("aws", AWS_DEFAULT),
        Map.entry("aws fields", AWS_FIELDS),
        Map.entry("aws json", AWS_JSON),
        Map.entry("gcp", GCP),
        Map.entry("goflow2", GOFLOW2),
        Map.entry("goflow1", GOFLOW1),
        Map.entry("pmacct", PMACCT),
        Map.entry("argus", ARGUS),
        Map.entry("nfdump", NFDUMP),
        Map.entry("nfdump later", NFDUMP_LATER),
        Map.entry("nfdump fast", NFDUMP_FAST),
        Map.entry("nfdump json", NFDUMP_JSON),
        Map.entry("flow-export", FLOW_EXPORT),
        Map.entry("azure", AZURE));
  }
}
