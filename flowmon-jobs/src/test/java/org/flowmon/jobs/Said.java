package org.flowmon.jobs;

/** A message of a site with its time: the arrival that the site had reached, in ms. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Said(long time, byte[] bytes) {}
