package org.flowmon.flow.code;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Names of protocols and of the ports of common services, as people know them from IANA's lists.
 */
public final class PortNames {
  private static final Map<Long, String> PORTS = new HashMap<>();
  private static final Map<Long, String> PROTOCOLS = new HashMap<>();

  static {
    add(
        PORTS,
        "20 ftp-data,21 ftp,22 ssh,23 telnet,25 smtp,43 whois,49 tacacs,53 domain,67 bootps,68"
            + " bootpc,69 tftp,80 http,88 kerberos,110 pop3,111 sunrpc,113 ident,119 nntp,123"
            + " ntp,135 epmap,137 netbios-ns,138 netbios-dgm,139 netbios-ssn,143 imap,161 snmp,162"
            + " snmptrap,179 bgp,389 ldap,443 https,445 microsoft-ds,465 submissions,500 isakmp,514"
            + " syslog,515 printer,546 dhcpv6-client,547 dhcpv6-server,554 rtsp,587 submission,623"
            + " asf-rmcp,631 ipp,636 ldaps,853 domain-s,873 rsync,989 ftps-data,990 ftps,993"
            + " imaps,995 pop3s,1194 openvpn,1433 ms-sql-s,1521 oracle,1701 l2tp,1723 pptp,1812"
            + " radius,1813 radius-acct,1883 mqtt,1900 ssdp,2049 nfs,2055 netflow,3128 squid,3268"
            + " msft-gc,3306 mysql,3389 ms-wbt-server,3478 stun,3702 ws-discovery,4500"
            + " ipsec-nat-t,4739 ipfix,5060 sip,5061 sips,5222 xmpp-client,5351 nat-pmp,5353"
            + " mdns,5355 llmnr,5432 postgresql,5671 amqps,5672 amqp,5900 rfb,5985 wsman,6379"
            + " redis,6881 bittorrent,8080 http-alt,8443 https-alt,8883 mqtts,9092 kafka,9200"
            + " elasticsearch,11211 memcache,27017 mongodb,51820 wireguard");
    add(
        PROTOCOLS,
        "1 icmp,2 igmp,4 ipip,6 tcp,17 udp,41 ipv6,47 gre,50 esp,51 ah,58 ipv6-icmp,88 eigrp,"
            + "89 ospf,94 ipip,103 pim,112 vrrp,115 l2tp,132 sctp,136 udplite");
  }

  private PortNames() {}

  private static void add(Map<Long, String> names, String list) {
    for (String one : list.split(",")) {
      int space = one.indexOf(' ');
      names.put(Long.parseLong(one.substring(0, space)), one.substring(space + 1));
    }
  }

  /** Null if the port has no name here. */
  public static @Nullable String port(long port) {
    return PORTS.get(port);
  }

  /** Null if the protocol has no name here. */
  public static @Nullable String protocol(long protocol) {
    return PROTOCOLS.get(protocol);
  }
}
